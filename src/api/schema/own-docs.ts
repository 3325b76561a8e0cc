/** The meaning and the bounds of our own kinds' fields: what their definitions say of them, as far as a schema can. */
import {
  MAX_BACK_OFF_FACTOR,
  MAX_EMPTY_DIRS,
  MAX_HEALING_RULES,
  MAX_POLICY_POD_RESTARTS,
  MAX_REQUESTER_LENGTH,
  MAX_RESTART_ID_LENGTH,
  MAX_RESTART_REASON_LENGTH,
  MAX_RULE_VALUES,
  MAX_RUNG_ATTEMPTS,
} from '../healing/limits.ts';
import { HEALING_SCOPES } from '../healing/types.ts';
import type { FieldDoc, TypeDoc } from './field-doc.ts';
import { NOTIFICATION_DOCS } from './notification-docs.ts';

const RESTART_SCOPES = ['container', 'containers', 'pod'];
const EMPTY_DIRS = 'Names of emptyDir volumes that begin empty, or "*" alone for all of them. Only with scope pod.';
const LABEL = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
/** Names of containers and volumes. */
const LABEL_PATTERN = String.raw`^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$`;
const LABEL_OR_ALL = String.raw`^(\*|[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?)$`;
const SUBDOMAIN_PATTERN = String.raw`^${LABEL}(\.${LABEL})*$`;
const NAMES = { pattern: LABEL_PATTERN, maxItems: MAX_RULE_VALUES, minItems: 1, isSet: true };
const KIND: Readonly<Record<string, FieldDoc>> = {
  apiVersion: { text: 'The version of this form of the object.' },
  kind: { text: 'The kind of the object.' },
  metadata: { text: 'Standard metadata of the object.' },
};

export const OWN_DOCS: Readonly<Record<string, TypeDoc>> = {
  ...NOTIFICATION_DOCS,
  'mendlet.v1alpha1.PodRestart': {
    text: 'One restart of a pod, or of containers of it, in place: same name, same UID, same node. It is done once, and goes some time after its end.',
    fields: {
      ...KIND,
      spec: { text: 'What is asked for. Fixed once it is made, but for ttlSecondsAfterFinished.', needed: true },
      status: { text: 'What became of it.' },
    },
  },
  'mendlet.v1alpha1.PodRestartSpec': {
    text: 'One restart, of a pod or of containers in it.',
    fields: {
      podName: {
        text: 'The pod, in the namespace of this object.',
        pattern: SUBDOMAIN_PATTERN,
        maxLength: 253,
        needed: true,
      },
      podUID: {
        text: 'The pod must still be the one with this UID. Absent: whichever has the name when the restart begins.',
        maxLength: MAX_RESTART_ID_LENGTH,
      },
      scope: {
        text: 'What is restarted: one container, all containers in their sandbox, or the whole pod with its sandbox, network, IPC and cgroup; init containers run again then.',
        oneOf: RESTART_SCOPES,
        fill: 'pod',
      },
      container: {
        text: 'The container of scope container; not with another scope.',
        pattern: LABEL_PATTERN,
        maxLength: 63,
      },
      notBefore: {
        text: 'What started at this time or later is left alone, so that asking twice restarts once. A time to come is waited for.',
      },
      reason: { text: 'Why, for people.', maxLength: MAX_RESTART_REASON_LENGTH },
      gracePeriodSeconds: { text: 'Time to end in. Absent: the grace period of the pod.', minimum: 0 },
      force: { text: 'Restart past a back-off that goes on, and past a healing ladder that has stopped.' },
      emptyDirs: { text: EMPTY_DIRS, pattern: LABEL_OR_ALL, maxItems: MAX_EMPTY_DIRS, isSet: true },
      requestedBy: {
        text: 'Who made it. Set by a server of mendlet, whatever is sent; on others it is what its maker says.',
        maxLength: MAX_REQUESTER_LENGTH,
      },
      ttlSecondsAfterFinished: { text: 'The object is deleted so long after its end.', minimum: 0, fill: 3600 },
    },
  },
  'mendlet.v1alpha1.PodRestartStatus': {
    text: 'How far a restart is, and how it went.',
    fields: {
      phase: {
        text: 'Pending until its node begins, Running until all that was restarted runs again, then Succeeded or Failed.',
        oneOf: ['Pending', 'Running', 'Succeeded', 'Failed'],
      },
      reason: {
        text: 'One word for the phase: Restarted, NotNeeded, PodNotFound, PodFinished, PodReplaced, Refused, Superseded, TimedOut and others.',
      },
      message: { text: 'The same for people.' },
      podUID: { text: 'The pod that is meant.' },
      nodeName: { text: 'The node that it runs on.' },
      startTime: { text: 'When the node began.' },
      completionTime: { text: 'When it was over.' },
      observedGeneration: { text: 'The generation of the spec that this tells of.' },
    },
  },
  'mendlet.v1alpha1.HealingPolicy': {
    text: 'How the pods that its selector names heal, beyond what their restart policy says.',
    fields: { ...KIND, spec: { text: 'The policy.', needed: true }, status: { text: 'How many pods heal by it.' } },
  },
  'mendlet.v1alpha1.HealingPolicySpec': {
    text: 'A policy of healing. One pod can have the same, but for selector, priority and volumes, in its annotation mendlet.dev/healing-policy.',
    fields: {
      selector: { text: 'Pods of its namespace, by their labels. An empty one means all.', needed: true },
      priority: { text: 'Of several policies that select a pod the highest counts; of equals, the first by name.' },
      rungs: {
        text: 'The ladder: what is tried, in the order container, containers, pod, node, each at most once. Behind the last rung the pod is stopped, and a person called. Absent: container 3 times within 10m, then pod 3 times within 1h.',
        maxItems: HEALING_SCOPES.length,
        minItems: 1,
      },
      maxPodRestarts: {
        text: 'Whole-pod restarts by the ladder in all the life of a pod; then it goes on to the next rung.',
        minimum: 0,
        maximum: MAX_POLICY_POD_RESTARTS,
      },
      resetAfter: {
        text: 'The ladder begins anew when all containers were well for so long: 1s to 24h. Default: 10m.',
      },
      backOff: {
        text: 'The waits between restarts after a failure. Absent: the curve of Kubernetes, 10s doubled up to 5m.',
      },
      backOffAfterSuccess: { text: 'The waits between restarts after exit code 0. Absent: those after a failure.' },
      rules: { text: 'Exceptions. The first that fits a death decides.', maxItems: MAX_HEALING_RULES },
      lateRecovery: {
        text: 'Whether a back-off ends early when its cause may be gone. Default: Always.',
        oneOf: ['Always', 'Never'],
      },
      volumes: {
        text: 'What becomes of the volumes of these pods when their nodes are lost. Absent: they wait for their nodes. In an annotation it says nothing.',
      },
    },
  },
  'mendlet.v1alpha1.HealingVolumes': {
    text: 'What is done about volumes of these pods that are lost or do not work.',
    fields: {
      restartPodOn: {
        text: 'The whole pod is restarted, with its volumes mounted anew, when a volume that a CSI driver or an NFS server serves has one of these problems: MountLost, Stale, Hangs, ReadOnly, Abnormal. Counted as restarts of the rung pod. Absent: never.',
        oneOf: ['MountLost', 'Stale', 'Hangs', 'ReadOnly', 'Abnormal'],
        isSet: true,
        maxItems: 5,
      },
      giveUpAfter: {
        text: 'A volume that is a folder of one node (provisioner mendlet.dev/local) is given up when its node has not been heard of for so long: 10s to 720h. The data stays on the disk of the node, and the claim gets a new, empty volume. Absent: never.',
      },
    },
  },
  'mendlet.v1alpha1.HealingRung': {
    text: 'One step of the ladder.',
    fields: {
      scope: {
        text: 'What is restarted: one container, all containers, the whole pod; or node: the owner of the pod makes another one elsewhere.',
        oneOf: HEALING_SCOPES,
      },
      attempts: {
        text: 'How often within the window; then the next rung is tried. Default: 3.',
        minimum: 1,
        maximum: MAX_RUNG_ATTEMPTS,
      },
      window: { text: 'Attempts longer ago do not count: 1s to 24h. Absent: all of the episode do.' },
      emptyDirs: { text: EMPTY_DIRS, pattern: LABEL_OR_ALL, maxItems: MAX_EMPTY_DIRS, isSet: true },
    },
  },
  'mendlet.v1alpha1.BackOffCurve': {
    text: 'Waits that grow. The first restart never waits.',
    fields: {
      initial: { text: 'Before the second restart: 100ms to 1h. Default: 10s, or the cap if that is less.' },
      factor: {
        text: 'Each wait is so many times the one before. Default: 2.',
        minimum: 1,
        maximum: MAX_BACK_OFF_FACTOR,
      },
      cap: { text: 'The longest wait: from initial to 1h. Default: 5m, or initial if that is more.' },
      resetAfter: { text: 'A container that ran so long begins its curve anew: 1s to 24h. Default: 10m.' },
      jitter: {
        text: 'A random part of each wait is added to it, at most this share. Default: 0.',
        minimum: 0,
        maximum: 1,
      },
    },
  },
  'mendlet.v1alpha1.HealingRule': {
    text: 'An exception for some deaths. All that it names must fit, and it must name something.',
    fields: {
      containers: { text: 'Deaths of these containers.', ...NAMES },
      onExitCodes: { text: 'Deaths with these exit codes, or with all others.' },
      onOutOfMemory: { text: 'Deaths by lack of memory. True, or left out.' },
      onProbeFailure: {
        text: 'Containers that were killed for a failed probe of these kinds.',
        oneOf: ['Liveness', 'Startup'],
        minItems: 1,
        maxItems: 2,
        isSet: true,
      },
      action: {
        text: 'BackOff: restart by the curve of this rule. Escalate: go to a higher rung at once. Stop: no more restarts. Default: BackOff.',
        oneOf: ['BackOff', 'Escalate', 'Stop'],
      },
      rung: { text: 'Of action Escalate: this rung of the policy. Absent: the next one.', oneOf: HEALING_SCOPES },
      backOff: { text: 'Of action BackOff: the waits. Absent: those of the policy.' },
    },
  },
  'mendlet.v1alpha1.ExitCodes': {
    text: 'A set of exit codes, or all but a set.',
    fields: {
      operator: { text: 'In: one of the values. NotIn: any other.', oneOf: ['In', 'NotIn'] },
      values: { text: 'Exit codes.', maxItems: MAX_RULE_VALUES, minItems: 1, needed: true },
    },
  },
  'mendlet.v1alpha1.HealingPolicyStatus': {
    text: 'What the healing controller knows of a policy.',
    fields: {
      observedGeneration: { text: 'The generation of the spec that this tells of.' },
      pods: { text: 'Pods that heal by it now.', minimum: 0 },
      conditions: { text: 'What is wrong with it, if anything.' },
    },
  },
};
