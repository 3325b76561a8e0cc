/** All rules about a pod. Their order does not matter, because findings have ranks. */
import type { PodRule } from '../rule.ts';
import { addressNotAvailable } from './ends/address-not-available.ts';
import { attachments } from './starts/attachments.ts';
import { authentication } from './peers/authentication.ts';
import { cLibraries } from './ends/c-libraries.ts';
import { certificates } from './peers/certificates.ts';
import { cpuThrottled } from './pods/cpu-throttled.ts';
import { dependencies } from './peers/dependencies.ts';
import { diedTogether } from './pods/died-together.ts';
import { driverVolumes } from './starts/driver-volumes.ts';
import { encoding } from './ends/encoding.ts';
import { endedPods } from './pods/ended-pods.ts';
import { endingSlowly } from './pods/ending-slowly.ts';
import { exhausted } from './ends/exhausted.ts';
import { exitCode } from './ends/exit-code.ts';
import { fileModes } from './ends/file-modes.ts';
import { fileUrls } from './ends/file-urls.ts';
import { givenUpPrograms } from './runs/given-up.ts';
import { healing } from './pods/healing.ts';
import { heap } from './ends/heap.ts';
import { held } from './pods/held.ts';
import { hooks } from './starts/hooks.ts';
import { hostKeys } from './peers/host-keys.ts';
import { images } from './starts/images.ts';
import { jobHeldOpen } from './pods/job-held-open.ts';
import { keyPasswords } from './ends/key-passwords.ts';
import { lateProbes } from './probes/late-probes.ts';
import { livenessCascade } from './probes/liveness-cascade.ts';
import { localSocket } from './peers/local-socket.ts';
import { lockHeld } from './ends/lock-held.ts';
import { longHooks } from './starts/long-hooks.ts';
import { malformedConfig } from './ends/malformed-config.ts';
import { missingConfig } from './starts/missing-config.ts';
import { missingSetting } from './ends/missing-setting.ts';
import { nodeLost } from './pods/node-lost.ts';
import { notProgressing } from './starts/not-progressing.ts';
import { olderTemplate } from './pods/older-template.ts';
import { outOfMemory } from './ends/out-of-memory.ts';
import { ownDatabase } from './ends/own-database.ts';
import { permissions } from './ends/permissions.ts';
import { poolers } from './peers/poolers.ts';
import { portInUse } from './ends/port-in-use.ts';
import { probes } from './probes/probes.ts';
import { quorumLost } from './peers/quorum-lost.ts';
import { readiness } from './probes/readiness.ts';
import { saidCauses } from './ends/said-causes.ts';
import { sandbox } from './starts/sandbox.ts';
import { sandboxLost } from './pods/sandbox-lost.ts';
import { servingInit } from './starts/serving-init.ts';
import { sharedMemory } from './ends/shared-memory.ts';
import { startErrors } from './starts/start-errors.ts';
import { terminating } from './pods/terminating.ts';
import { tinyMemory } from './starts/tiny-memory.ts';
import { unexpandedVariables } from './ends/unexpanded-variables.ts';
import { unreadableFiles } from './ends/unreadable-files.ts';
import { unseenProcesses } from './ends/unseen-processes.ts';
import { unschedulable } from './starts/unschedulable.ts';
import { volumeAway } from './starts/volume-away.ts';
import { volumes } from './starts/volumes.ts';
import { waitingInit } from './starts/waiting-init.ts';
import { workersBeside, workersLately } from './probes/worker-limits.ts';

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
  workersBeside,
  workersLately,
];
