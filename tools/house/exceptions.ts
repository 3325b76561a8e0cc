/** The functions that break a rule for now. This list only gets shorter: remove an entry when it is mended. */

/** "FILE FUNCTION": longer than a page. */
export const LONG_FUNCTIONS: readonly string[] = [
  'controllers/certificates/approving-controller.ts approvingController',
  'controllers/healing/pod-restart-controller.ts podRestartController',
  'controllers/taint-eviction/taint-eviction-controller.ts taintEvictionController',
  'diagnosis/rules/volumes.ts oneClaim',
  'lib/metrics.ts createMetrics',
  'lib/streams/stuck-client.ts probeStuckClient',
  'sim/sim-file-system.ts createSimFileSystem',
];
