/** Defaults of CSIDrivers (upstream: SetDefaults_CSIDriver). */
import type { CSIDriver } from '../types.gen.ts';

export function defaultCsiDriver(driver: CSIDriver): void {
  const { spec } = driver;
  if (spec === undefined) return;
  spec.attachRequired ??= true;
  spec.podInfoOnMount ??= false;
  spec.storageCapacity ??= false;
  spec.fsGroupPolicy ??= 'ReadWriteOnceWithFSType';
  if ((spec.volumeLifecycleModes ?? []).length === 0) spec.volumeLifecycleModes = ['Persistent'];
  spec.requiresRepublish ??= false;
  spec.seLinuxMount ??= false;
  // Its gate is closed.
  delete spec.preventPodSchedulingIfMissing;
}
