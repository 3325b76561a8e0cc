/** The functions that break a rule for now. This list only gets shorter: remove an entry when it is mended. */

/** "FILE FUNCTION": longer than a page. */
export const LONG_FUNCTIONS: readonly string[] = [
  'controllers/certificates/approving-controller.ts approvingController',
  'controllers/healing/pod-restart-controller.ts podRestartController',
  'controllers/taint-eviction/taint-eviction-controller.ts taintEvictionController',
  'diagnosis/rules/starts/volumes.ts oneClaim',
  'lib/metrics.ts createMetrics',
  'lib/streams/stuck-client.ts probeStuckClient',
  'sim/sim-file-system.ts createSimFileSystem',
];

/** Files that name many kinds for now. */
export const KIND_TABLES: readonly string[] = [
  // Manifests are read before there is a server to ask.
  'main/manifests.ts',
  // It sends objects of every built-in kind.
  'sim/fuzz/fuzz-run.ts',
];
