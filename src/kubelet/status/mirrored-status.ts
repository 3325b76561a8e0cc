/**
 * Reports the statuses of static pods through their mirrors, because the server knows nothing of the pods themselves. A
 * status from before there was a mirror is reported when the mirror comes.
 */
import type { Pod, PodStatus } from '../../api/index.ts';
import { isStaticPod } from '../pods/static-pods.ts';
import type { PodUID, StatusAnnotations, StatusManager } from '../types.ts';

export interface MirroredStatus extends StatusManager {
  /** The mirror of this static pod came, changed or went. */
  mirrorChanged(staticUid: PodUID): void;
}

interface Reported {
  readonly pod: Pod;
  readonly status: PodStatus;
  readonly annotations: StatusAnnotations | undefined;
  readonly mirrorUid?: PodUID;
}

/** `mirrorOf`: the mirror that shows this static pod, if there is one. */
export function createMirroredStatus(status: StatusManager, mirrorOf: (pod: Pod) => Pod | undefined): MirroredStatus {
  const reported = new Map<PodUID, Reported>();
  const tell = (pod: Pod, latest: PodStatus, annotations: StatusAnnotations | undefined): void => {
    const uid = pod.metadata?.uid ?? '';
    const mirror = mirrorOf(pod);
    const mirrorUid = mirror?.metadata?.uid;
    const before = reported.get(uid)?.mirrorUid;
    if (before !== undefined && before !== mirrorUid) status.forget(before);
    reported.set(uid, { pod, status: latest, annotations, ...(mirrorUid === undefined ? {} : { mirrorUid }) });
    if (mirror !== undefined) status.report(mirror, latest, annotations);
  };
  return {
    report: (pod, latest, annotations) =>
      isStaticPod(pod) ? tell(pod, latest, annotations) : status.report(pod, latest, annotations),
    // The mirror goes with the file, not with the containers.
    finish: (pod, latest, annotations) =>
      isStaticPod(pod) ? tell(pod, latest, annotations) : status.finish(pod, latest, annotations),
    forget: (uid) => {
      const mirrorUid = reported.get(uid)?.mirrorUid;
      if (mirrorUid !== undefined) status.forget(mirrorUid);
      reported.delete(uid);
      status.forget(uid);
    },
    settled: () => status.settled(),
    run: (signal) => status.run(signal),
    mirrorChanged: (uid) => {
      const latest = reported.get(uid);
      if (latest !== undefined) tell(latest.pod, latest.status, latest.annotations);
    },
  };
}
