/** Counts the pods that live on when mendlet ends. The runtime is asked, because it alone knows which run at this moment. */
import type { Container, RuntimeService, Sandbox } from '../cri/index.ts';
import { INSTANCE_LABEL } from '../kubelet/index.ts';

export interface PodsLeft {
  /** Pods with a container that runs. */
  readonly running: number;
  /** Pods that are there with none: between a death and the next start, or about to begin. */
  readonly waiting: number;
}

/** @throws RuntimeError when the runtime does not answer */
export async function podsLeft(
  runtime: Pick<RuntimeService, 'listSandboxes' | 'listContainers'>,
  instanceId: string,
): Promise<PodsLeft> {
  const sandboxes = await runtime.listSandboxes({ labels: { [INSTANCE_LABEL]: instanceId } });
  return countPods(sandboxes, await runtime.listContainers());
}

/** Pure. Others' containers on the same runtime lie in no sandbox of ours. */
export function countPods(
  sandboxes: readonly Pick<Sandbox, 'id' | 'state'>[],
  containers: readonly Pick<Container, 'sandboxId' | 'state'>[],
): PodsLeft {
  const busy = new Set(containers.filter(({ state }) => state === 'running').map(({ sandboxId }) => sandboxId));
  const running = sandboxes.filter(({ id }) => busy.has(id)).length;
  const waiting = sandboxes.filter(({ id, state }) => state === 'ready' && !busy.has(id)).length;
  return { running, waiting };
}

/** @param again the command that takes the pods over @param down the one that removes them */
export function sayPodsLeft({ running, waiting }: PodsLeft, again: string, down: string): string {
  if (running + waiting === 0) return 'ending; no pods are running';
  const parts = [
    ...(running > 0 ? [`${running === 1 ? '1 pod keeps' : `${running} pods keep`} running`] : []),
    ...(waiting > 0
      ? [`${waiting === 1 ? '1 pod waits' : `${waiting} pods wait`} for a start that does not come now`]
      : []),
  ];
  return `ending; ${parts.join(', ')}: "${again}" takes over again, "${down}" stops and removes`;
}
