/** All rules about a pod. Their order does not matter, because findings have ranks. */
import type { PodRule } from '../rule.ts';
import { addressNotAvailable } from './address-not-available.ts';
import { attachments } from './attachments.ts';
import { authentication } from './authentication.ts';
import { cLibraries } from './c-libraries.ts';
import { certificates } from './certificates.ts';
import { cpuThrottled } from './cpu-throttled.ts';
import { dependencies } from './dependencies.ts';
import { diedTogether } from './died-together.ts';
import { driverVolumes } from './driver-volumes.ts';
import { encoding } from './encoding.ts';
import { endedPods } from './ended-pods.ts';
import { endingSlowly } from './ending-slowly.ts';
import { exhausted } from './exhausted.ts';
import { exitCode } from './exit-code.ts';
import { fileModes } from './file-modes.ts';
import { fileUrls } from './file-urls.ts';
import { givenUpPrograms } from './given-up.ts';
import { healing } from './healing.ts';
import { heap } from './heap.ts';
import { held } from './held.ts';
import { hooks } from './hooks.ts';
import { hostKeys } from './host-keys.ts';
import { images } from './images.ts';
import { jobHeldOpen } from './job-held-open.ts';
import { keyPasswords } from './key-passwords.ts';
import { lateProbes } from './late-probes.ts';
import { livenessCascade } from './liveness-cascade.ts';
import { localSocket } from './local-socket.ts';
import { lockHeld } from './lock-held.ts';
import { longHooks } from './long-hooks.ts';
import { malformedConfig } from './malformed-config.ts';
import { missingConfig } from './missing-config.ts';
import { missingSetting } from './missing-setting.ts';
import { nodeLost } from './node-lost.ts';
import { notProgressing } from './not-progressing.ts';
import { olderTemplate } from './older-template.ts';
import { outOfMemory } from './out-of-memory.ts';
import { ownDatabase } from './own-database.ts';
import { permissions } from './permissions.ts';
import { poolers } from './poolers.ts';
import { portInUse } from './port-in-use.ts';
import { probes } from './probes.ts';
import { quorumLost } from './quorum-lost.ts';
import { readiness } from './readiness.ts';
import { saidCauses } from './said-causes.ts';
import { sandbox } from './sandbox.ts';
import { sandboxLost } from './sandbox-lost.ts';
import { servingInit } from './serving-init.ts';
import { sharedMemory } from './shared-memory.ts';
import { startErrors } from './start-errors.ts';
import { terminating } from './terminating.ts';
import { tinyMemory } from './tiny-memory.ts';
import { unexpandedVariables } from './unexpanded-variables.ts';
import { unreadableFiles } from './unreadable-files.ts';
import { unseenProcesses } from './unseen-processes.ts';
import { unschedulable } from './unschedulable.ts';
import { volumeAway } from './volume-away.ts';
import { volumes } from './volumes.ts';
import { waitingInit } from './waiting-init.ts';
import { workersLately } from './worker-limits.ts';

/** Rules about a pod that is being deleted: why it still exists. */
export const DELETION_RULES: readonly PodRule[] = [
  terminating,
  held,
  endingSlowly,
  nodeLost,
  volumeAway,
  driverVolumes,
];

export const POD_RULES: readonly PodRule[] = [
  addressNotAvailable,
  attachments,
  authentication,
  cLibraries,
  certificates,
  cpuThrottled,
  dependencies,
  diedTogether,
  driverVolumes,
  encoding,
  endedPods,
  endingSlowly,
  exhausted,
  exitCode,
  fileModes,
  fileUrls,
  givenUpPrograms,
  healing,
  heap,
  held,
  hooks,
  hostKeys,
  images,
  jobHeldOpen,
  keyPasswords,
  lateProbes,
  livenessCascade,
  localSocket,
  lockHeld,
  longHooks,
  malformedConfig,
  missingConfig,
  missingSetting,
  nodeLost,
  notProgressing,
  olderTemplate,
  outOfMemory,
  ownDatabase,
  permissions,
  poolers,
  portInUse,
  probes,
  quorumLost,
  readiness,
  saidCauses,
  sandbox,
  sandboxLost,
  servingInit,
  sharedMemory,
  startErrors,
  tinyMemory,
  unexpandedVariables,
  unreadableFiles,
  unschedulable,
  unseenProcesses,
  volumeAway,
  volumes,
  waitingInit,
  workersLately,
];
