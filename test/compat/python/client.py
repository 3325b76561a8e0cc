"""Asks a server through Kubernetes' client library for Python: one scenario per call, whose outcome is printed as JSON.

    client.py KUBECONFIG SCENARIO
"""
import json
import sys
import threading
import time

import yaml
from kubernetes import client, config, dynamic, utils, watch
from kubernetes.client.rest import ApiException
from kubernetes.dynamic.exceptions import ConflictError, NotFoundError
from kubernetes.leaderelection import electionconfig, leaderelection
from kubernetes.leaderelection.resourcelock.configmaplock import ConfigMapLock

GROUP = {"group": "python.example.com", "version": "v1", "plural": "boxes"}
HEAD = {"apiVersion": "python.example.com/v1", "kind": "Box"}


def refusal(call):
    """The status and the reason with which the server refuses a call."""
    try:
        call()
        return "accepted"
    except ApiException as error:
        return [error.status, json.loads(error.body)["reason"]]


def namespace(core, name):
    core.create_namespace({"metadata": {"name": name}})
    return name


def typed():
    """Creates, reads, changes, lists and deletes with typed clients."""
    core, apps = client.CoreV1Api(), client.AppsV1Api()
    here = namespace(core, "python-typed")
    labels = {"app": "web"}
    container = client.V1Container(name="c", image="none.invalid/none", ports=[client.V1ContainerPort(container_port=80)])
    template = client.V1PodTemplateSpec(
        metadata=client.V1ObjectMeta(labels=labels), spec=client.V1PodSpec(containers=[container]))
    spec = client.V1DeploymentSpec(replicas=1, selector=client.V1LabelSelector(match_labels=labels), template=template)
    apps.create_namespaced_deployment(here, client.V1Deployment(metadata=client.V1ObjectMeta(name="web"), spec=spec))
    patched = apps.patch_namespaced_deployment("web", here, {"spec": {"replicas": 2}})
    scaled = False
    while not scaled:
        # Meanwhile the controller writes, too.
        scale = apps.read_namespaced_deployment_scale("web", here)
        scale.spec.replicas = 3
        answer = refusal(lambda: apps.replace_namespaced_deployment_scale("web", here, scale))
        scaled = answer == "accepted"
    stale = refusal(lambda: apps.replace_namespaced_deployment("web", here, patched))
    read = apps.read_namespaced_deployment("web", here)
    listed = [each.metadata.name for each in apps.list_namespaced_deployment(here, label_selector="!missing").items]
    deleted = apps.delete_namespaced_deployment("web", here, propagation_policy="Background")
    return {
        "patched": patched.spec.replicas,
        "scaled": read.spec.replicas,
        "default": read.spec.template.spec.restart_policy,
        "created": read.metadata.creation_timestamp.tzinfo is not None,
        "stale": stale,
        "listed": listed,
        "deleted": deleted.status,
        "missing": refusal(lambda: core.read_namespaced_pod("missing", here)),
        "version": client.VersionApi().get_code().minor,
    }


def pages():
    """Lists in pages."""
    core = client.CoreV1Api()
    here = namespace(core, "python-pages")
    for at in range(5):
        core.create_namespaced_config_map(here, {"metadata": {"name": f"m-{at}", "labels": {"mine": ""}}})
    names, token = [], None
    while True:
        page = core.list_namespaced_config_map(here, limit=2, _continue=token, label_selector="mine=")
        names += [each.metadata.name for each in page.items]
        token = page.metadata._continue
        if not token:
            return names


def watches():
    """Watches through a change of each kind, and again from a revision of before."""
    core = client.CoreV1Api()
    here = namespace(core, "python-watch")
    revision = core.list_namespaced_config_map(here, label_selector="mine").metadata.resource_version

    def write():
        time.sleep(0.5)
        core.create_namespaced_config_map(here, {"metadata": {"name": "m", "labels": {"mine": ""}}, "data": {"a": "1"}})
        core.patch_namespaced_config_map("m", here, {"data": {"a": "2"}})
        core.delete_namespaced_config_map("m", here)

    writer = threading.Thread(target=write)
    writer.start()

    def follow():
        seen, watcher = [], watch.Watch()
        stream = watcher.stream(
            core.list_namespaced_config_map, here, label_selector="mine", resource_version=revision, timeout_seconds=60)
        for event in stream:
            seen.append([event["type"], event["object"].data])
            if event["type"] == "DELETED":
                watcher.stop()
        return seen

    live = follow()
    writer.join()
    return {"live": live, "again": follow()}


def custom():
    """Defines a kind, and works with its objects through both untyped clients."""
    core, objects = client.CoreV1Api(), client.CustomObjectsApi()
    here = namespace(core, "python-custom")
    schema = {
        "type": "object",
        "properties": {
            "spec": {"type": "object", "properties": {"size": {"type": "integer", "default": 1}, "name": {"type": "string"}}},
            "status": {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
        },
    }
    version = {
        "name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}, "subresources": {"status": {}}}
    definition = {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "boxes.python.example.com"},
        "spec": {
            "group": "python.example.com", "scope": "Namespaced", "versions": [version],
            "names": {"kind": "Box", "plural": "boxes", "singular": "box"}},
    }
    extensions = client.ApiextensionsV1Api()
    extensions.create_custom_resource_definition(definition)
    while "True" not in [each.status for each in extensions.read_custom_resource_definition(
            "boxes.python.example.com").status.conditions or [] if each.type == "Established"]:
        time.sleep(0.1)
    made = objects.create_namespaced_custom_object(namespace=here, body={**HEAD, "metadata": {"name": "a"}, "spec": {}}, **GROUP)
    status = objects.patch_namespaced_custom_object_status(namespace=here, name="a", body={"status": {"seen": 1}}, **GROUP)
    bad = refusal(lambda: objects.patch_namespaced_custom_object(
        namespace=here, name="a", body={"spec": {"size": "big"}}, **GROUP))
    seen = [each["metadata"]["name"] for each in objects.list_namespaced_custom_object(namespace=here, **GROUP)["items"]]
    return {"defaults": made["spec"], "status": status["status"], "bad": bad, "listed": seen}


def dynamic_client():
    """Finds kinds by discovery, applies on the server, meets a conflict and overrules it, watches."""
    here = namespace(client.CoreV1Api(), "python-dynamic")
    anything = dynamic.DynamicClient(client.ApiClient())
    maps = anything.resources.get(api_version="v1", kind="ConfigMap")

    def apply(value, manager, **more):
        body = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "m", "namespace": here}, "data": value}
        # This version of the library sends texts alone with this content type.
        return maps.server_side_apply(body=yaml.safe_dump(body), namespace=here, name="m", field_manager=manager, **more)

    one = apply({"a": "1", "b": "1"}, "one")
    again = apply({"a": "1", "b": "1"}, "one")
    try:
        apply({"a": "2"}, "two")
        conflict = None
    except ConflictError as error:
        conflict = error.summary().split("\n", 1)[0], json.loads(error.body)["details"]["causes"][0]["field"]
    forced = apply({"a": "2"}, "two", force_conflicts=True)
    pruned = apply({}, "one")
    events = [(event["type"], event["object"].metadata.name) for event in maps.watch(
        namespace=here, field_selector="metadata.name=m", timeout=1)]
    deployments = anything.resources.get(api_version="apps/v1", kind="Deployment")
    boxes = anything.resources.get(api_version="python.example.com/v1", kind="Box")
    boxes.create(body={**HEAD, "metadata": {"name": "d"}, "spec": {"size": 3}}, namespace=here)
    merged = boxes.patch(body={**HEAD, "metadata": {"name": "d"}, "spec": {"name": "x"}}, namespace=here,
                         content_type="application/merge-patch+json")
    boxes.delete(name="d", namespace=here)
    try:
        boxes.get(name="d", namespace=here)
        gone = False
    except NotFoundError:
        gone = True
    return {
        "unchanged": one.metadata.resourceVersion == again.metadata.resourceVersion,
        "conflict": conflict,
        "forced": dict(forced.data),
        "pruned": dict(pruned.data),
        "events": events,
        "namespaced": deployments.namespaced,
        "merged": dict(merged.spec),
        "gone": gone,
    }


def large():
    """Applies a definition of a megabyte of YAML on the server, and one of its objects."""
    anything = dynamic.DynamicClient(client.ApiClient())
    definitions = anything.resources.get(api_version="apiextensions.k8s.io/v1", kind="CustomResourceDefinition")
    fields = {f"field{at}": {"type": "string", "description": "What it says, said at some length. " * 10} for at in range(900)}
    schema = {"type": "object", "properties": {"spec": {"type": "object", "properties": {
        f"part{at}": {"type": "object", "properties": fields} for at in range(3)}}}}
    name = "larges.python.example.com"
    definition = {
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": {"name": name},
        "spec": {
            "group": "python.example.com", "scope": "Cluster", "names": {"kind": "Large", "plural": "larges"},
            "versions": [{"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}}]}}

    class Plain(yaml.SafeDumper):
        """Writes no aliases, as other generators."""

        def ignore_aliases(self, data):
            return True

    text = yaml.dump(definition, Dumper=Plain)
    made = definitions.server_side_apply(body=text, name=name, field_manager="large")
    again = definitions.server_side_apply(body=text, name=name, field_manager="large")
    return {
        "isLarge": len(text) > 1_000_000,
        "fields": len(dict(made.spec.versions[0].schema.openAPIV3Schema.properties.spec.properties.part2.properties)),
        "generation": again.metadata.generation,
    }


def from_yaml():
    """Creates all documents of a file, as scripts do."""
    core = client.CoreV1Api()
    here = namespace(core, "python-yaml")
    documents = [
        {"apiVersion": "v1", "kind": "List", "items": [
            {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "one"}},
            {"apiVersion": "networking.k8s.io/v1", "kind": "NetworkPolicy", "metadata": {"name": "deny"},
             "spec": {"podSelector": {}}}]},
        {"apiVersion": "batch/v1", "kind": "CronJob", "metadata": {"name": "job"}, "spec": {
            "schedule": "@daily", "jobTemplate": {"spec": {"template": {"spec": {
                "restartPolicy": "Never", "containers": [{"name": "c", "image": "none.invalid/none"}]}}}}}},
    ]
    made = utils.create_from_yaml(client.ApiClient(), yaml_objects=documents, namespace=here)
    return [[each.kind for each in group] for group in made]


def election():
    """Two candidates: one leads at a time, and the second when the first has stopped."""
    here = namespace(client.CoreV1Api(), "python-election")
    led, stop = [], threading.Event()

    def candidate(name, until):
        def lead():
            led.append(name)
            until.wait()

        lock = ConfigMapLock("lock", here, name)
        settings = electionconfig.Config(
            lock, lease_duration=3, renew_deadline=2, retry_period=1, onstarted_leading=lead, onstopped_leading=lambda: None)
        elected = leaderelection.LeaderElection(settings)
        threading.Thread(target=elected.run, daemon=True).start()
        return elected

    first = candidate("first", stop)
    while led != ["first"]:
        time.sleep(0.1)
    candidate("second", stop)
    time.sleep(4)
    before = list(led)
    # The first renews no more, as if it had been killed.
    first.try_acquire_or_renew = lambda: False
    while led == before:
        time.sleep(0.1)
    return {"before": before, "after": led}


SCENARIOS = {
    "typed": typed, "pages": pages, "watches": watches, "custom": custom, "dynamic": dynamic_client, "yaml": from_yaml,
    "election": election, "large": large,
}

if __name__ == "__main__":
    config.load_kube_config(config_file=sys.argv[1])
    print(json.dumps(SCENARIOS[sys.argv[2]]()))
