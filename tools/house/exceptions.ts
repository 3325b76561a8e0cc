/** The functions and types that break a rule for now. These lists only get shorter: remove an entry when it is mended. */

/** "FILE FUNCTION": longer than a page. */
export const LONG_FUNCTIONS: readonly string[] = [
  'controllers/certificates/approving-controller.ts approvingController',
  'controllers/healing/pod-restart-controller.ts podRestartController',
  'controllers/taint-eviction/taint-eviction-controller.ts taintEvictionController',
  'diagnosis/rules/volumes.ts oneClaim',
  'lib/metrics.ts createMetrics',
  'lib/streams/stuck-client.ts probeStuckClient',
  'main/agent.ts serve',
  'main/control-plane.ts startControlPlane',
  'main/host.ts startHost',
  'sim/sim-file-system.ts createSimFileSystem',
];

/** "FILE TYPE": the number of fields of a function's input, where eight are allowed. */
export const BIG_BAGS: Readonly<Record<string, number>> = {
  'kubelet/deaths/black-box.ts BlackBoxOptions': 15,
  'kubelet/deaths/death-recorder.ts DeathRecorderOptions': 11,
  'kubelet/env/followed-object.ts FollowedObjectOptions': 10,
  'kubelet/execute/container-config.ts ContainerConfigInput': 14,
  'kubelet/node-admission.ts AdmissionContext': 9,
  'kubelet/plan/generate-conditions.ts ConditionsInput': 11,
  'kubelet/pod-workers/pod-workers.ts PodWorkersOptions': 20,
  'kubelet/server/kubelet-server.ts KubeletServerOptions': 10,
  'kubelet/stats/take-measurement.ts MeasuringOptions': 12,
  'kubelet/volumes/volume-manager.ts VolumeManagerOptions': 13,
  'main/agent-half.ts AgentHalfOptions': 23,
  'main/control-plane.ts ControlPlaneOptions': 17,
  'main/host.ts HostOptions': 12,
  'main/node-agent.ts NodeAgentOptions': 19,
};
