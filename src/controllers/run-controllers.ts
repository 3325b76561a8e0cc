/** The control plane's controllers, together. */
import { runElected } from '../client/index.ts';
import { attachDetachController } from './attach-detach/attach-detach-controller.ts';
import { tokenCleaner } from './bootstrap-tokens/token-cleaner.ts';
import { approvingController } from './certificates/approving-controller.ts';
import { cleanerController } from './certificates/cleaner-controller.ts';
import { signingController } from './certificates/signing-controller.ts';
import { aggregationController } from './clusterrole-aggregation/aggregation-controller.ts';
import { disruptionController } from './disruption/disruption-controller.ts';
import { endpointSliceController } from './endpointslice/endpointslice-controller.ts';
import { mirroringController } from './endpointslice-mirroring/mirroring-controller.ts';
import { endpointsController } from './endpoints/endpoints-controller.ts';
import { daemonSetController } from './daemonset/daemon-set-controller.ts';
import { ephemeralVolumeController } from './ephemeral-volumes/ephemeral-volume-controller.ts';
import { garbageCollector } from './garbage-collector/garbage-collector.ts';
import { healingControllers } from './healing/healing-controllers.ts';
import { horizontalPodAutoscalerController } from './horizontal-pod-autoscaler/horizontal-pod-autoscaler-controller.ts';
import { cronJobController } from './cronjob/cron-job-controller.ts';
import { createJobMetrics } from './job/job-metrics.ts';
import { jobController } from './job/job-controller.ts';
import { jobOrphansController } from './job/job-orphans-controller.ts';
import { ttlAfterFinishedController } from './ttl-after-finished/ttl-after-finished-controller.ts';
import { loadBalancerController } from './load-balancer/load-balancer-controller.ts';
import { localVolumeControllers } from './local-volumes/local-volume-controllers.ts';
import { namespaceController } from './namespace/namespace-controller.ts';
import { nodeIpamControllers } from './node-ipam/node-ipam-controller.ts';
import { nodeFailureControllers } from './node-lifecycle/node-failure.ts';
import { nodeRoutesController } from './node-routes/node-routes-controller.ts';
import { notificationController, NOTIFICATIONS_COMPONENT } from './notifications/notification-controller.ts';
import { podGcController } from './pod-gc/pod-gc-controller.ts';
import { deploymentController } from './deployment/deployment-controller.ts';
import { replicaSetController } from './replicaset/replicaset-controller.ts';
import { replicationController } from './replication-controller/replication-controller.ts';
import { rootCaController } from './root-ca/root-ca-controller.ts';
import type { Controller } from './controller.ts';
import { runSet, type SetOptions } from './run-set.ts';
import { serviceCidrController } from './service-cidrs/service-cidr-controller.ts';
import { serviceAccountController } from './service-account/service-account-controller.ts';
import { statefulSetController } from './statefulset/stateful-set-controller.ts';
import { volumeBindingController } from './volume-binding/volume-binding-controller.ts';
import { volumeExpansionController } from './volume-expansion/volume-expansion-controller.ts';
import { volumeProtectionController } from './volume-binding/volume-protection-controller.ts';
import type { ControllerSetup, ControllersSettings } from './controller-setup.ts';
import { REPLICA_SET_KIND, REPLICATION_CONTROLLER_KIND } from './replicaset/replicated-kind.ts';

/** Each makes the controllers of one folder. */
const CONTROLLERS: readonly ((setup: ControllerSetup) => readonly Controller[])[] = [
  ({ informers }) => [serviceAccountController(informers)],
  ({ informers, settings }) => [rootCaController(informers, settings.caCertificate)],
  (setup) => [namespaceController(setup)],
  (setup) => [podGcController(setup)],
  nodeFailureControllers,
  nodeIpamControllers,
  ({ informers }) => [nodeRoutesController(informers)],
  (setup) => [
    deploymentController({ ...setup, events: setup.events('deployment-controller') }),
    replicaSetController({ ...setup, events: setup.events(REPLICA_SET_KIND.component) }),
    replicationController({ ...setup, events: setup.events(REPLICATION_CONTROLLER_KIND.component) }),
  ],
  ({ informers, client, clock }) => [serviceCidrController(informers, client, clock)],
  ({ informers, events, settings }) =>
    settings.loadBalancers === false ? [] : [loadBalancerController(informers, events('service-controller'))],
  ({ informers, events }) => [endpointSliceController(informers, events('endpoint-slice-controller'))],
  ({ informers, client, events }) => [endpointsController(informers, client, events('endpoint-controller'))],
  ({ informers, events }) => [mirroringController(informers, events('endpoint-slice-mirroring-controller'))],
  (setup) => [daemonSetController({ ...setup, events: setup.events('daemonset-controller') })],
  (setup) => [
    volumeBindingController({ ...setup, events: setup.events('persistentvolume-controller') }),
    volumeProtectionController(setup.informers, setup.client),
    ephemeralVolumeController(setup.informers, setup.events('ephemeral_volume')),
    volumeExpansionController(setup.informers, setup.events('volume_expand')),
  ],
  (setup) => {
    const { attachDetach } = setup.settings;
    const options = { ...setup, events: setup.events('attachdetach-controller') };
    return attachDetach === undefined ? [] : [attachDetachController(options, attachDetach)];
  },
  (setup) => (setup.settings.localVolumes ? localVolumeControllers(setup, setup.settings.localVolumes) : []),
  (setup) => [statefulSetController({ ...setup, events: setup.events('statefulset-controller') })],
  (setup) => [
    jobController({ ...setup, events: setup.events('job-controller'), metrics: createJobMetrics(setup.metrics) }),
    jobOrphansController(setup.informers, setup.client),
  ],
  (setup) => [cronJobController({ ...setup, events: setup.events('cronjob-controller') })],
  ({ informers, client, clock }) => [ttlAfterFinishedController(informers, client, clock)],
  (setup) => [approvingController(setup), cleanerController(setup.informers, setup.clock)],
  ({ informers, clock, settings: { certificateSigner } }) =>
    certificateSigner === undefined ? [] : [signingController(informers, certificateSigner, clock)],
  ({ informers }) => [aggregationController(informers)],
  ({ informers, clock }) => [tokenCleaner(informers, clock)],
  (setup) => [disruptionController({ ...setup, events: setup.events('controllermanager') })],
  (setup) => [horizontalPodAutoscalerController({ ...setup, events: setup.events('horizontal-pod-autoscaler') })],
  (setup) => {
    const { healing, refusals } = setup.settings;
    return healing === false ? [] : healingControllers({ ...setup, ...(refusals && { refusals }) });
  },
  (setup) => {
    const { healing, sendNotices: send } = setup.settings;
    if (healing === false || send === undefined) return [];
    return [notificationController({ ...setup, events: setup.events(NOTIFICATIONS_COMPONENT), send })];
  },
  // The last: it looks at all kinds, through what the others keep where it can.
  (setup) => [garbageCollector({ ...setup, events: setup.events('garbage-collector-controller') })],
];

/** Runs until the signal is aborted and everything in flight has ended. */
export async function runControllers(
  options: SetOptions,
  settings: ControllersSettings,
  signal: AbortSignal,
): Promise<void> {
  const { leaderElection } = settings;
  if (leaderElection === undefined) return runAll(options, settings, signal);
  const election = { ...options, candidacy: leaderElection, name: 'kube-controller-manager' };
  return runElected(election, signal, (client, term) => runAll({ ...options, client }, settings, term));
}

async function runAll(options: SetOptions, settings: ControllersSettings, signal: AbortSignal): Promise<void> {
  return runSet({ ...options, settings }, (setup) => CONTROLLERS.flatMap((make) => make(setup)), signal);
}
