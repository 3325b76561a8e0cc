/** Invariant: a pod that is deleted gets its signal after its traffic has gone elsewhere, within the bound that it has for that. */
import type { Pod } from '../../api/index.ts';
import type { Facts } from '../facts.ts';
import { InvariantViolation } from './violation.ts';

/** The bound: 2 s or a tenth of the grace, whichever is shorter. */
const MAX_WAIT_MS = 2000;
const SHARE_OF_GRACE = 0.1;
/** A second of grace or less is too short for a wait. */
const LEAST_GRACE_SECONDS = 2;
/** The agent counts from the moment when it works on the news, which may be later than their arrival. */
const SLACK_MS = 20;
/** A pass, and the calls of the runtime before a stop. */
const LATE_MS = 5000;

export interface SignalScene {
  readonly facts: Facts;
  /** A service leads to the pod on its own node though it leads to another good pod, too. Undefined: none does. */
  readonly servedBeside: (uid: string) => string | undefined;
  /** Mono ms since when the pod's agent and its runtime are undisturbed; infinite: they are not. */
  readonly calmSince: (uid: string) => number;
  /** Whether a container of the pod runs. */
  readonly isRunning: (uid: string) => boolean;
  readonly check: (check: () => void) => void;
  readonly now: () => number;
}

interface Ending {
  readonly waitMs: number;
  readonly toldAt: number;
  readonly hasHooks: boolean;
  isSignalled: boolean;
}

export function signalsAfterTraffic(scene: SignalScene): void {
  const { facts } = scene;
  const pods = new Map<string, Pod>();
  const endings = new Map<string, Ending>();
  /** Pods that were stopped for another reason before, whose stops go on. */
  const stopped = new Set<string>();
  /** Nodes that may have evicted pods, which wait for nothing. */
  const short = new Set<string>();
  facts.on({
    'disk-filled': ({ node }) => void short.add(node),
    'pod-written': ({ pod }) => void pods.set(pod.metadata?.uid ?? '', pod),
    'pod-deleted': ({ pod }) => {
      pods.delete(pod.metadata?.uid ?? '');
      endings.delete(pod.metadata?.uid ?? '');
    },
    'deletion-delivered': ({ uid }, mono) => {
      const pod = pods.get(uid);
      const grace = pod?.metadata?.deletionGracePeriodSeconds ?? 0;
      if (pod === undefined || endings.has(uid) || stopped.has(uid) || short.has(pod.spec?.nodeName ?? '')) return;
      if (grace < LEAST_GRACE_SECONDS || isOver(pod)) return;
      const waitMs = Math.min(MAX_WAIT_MS, grace * 1000 * SHARE_OF_GRACE);
      endings.set(uid, { waitMs, toldAt: mono, hasHooks: hasHooks(pod), isSignalled: false });
    },
    'stop-sent': ({ uid, container, attempt }, mono) => {
      const ending = endings.get(uid);
      if (ending === undefined) {
        stopped.add(uid);
        return;
      }
      if (ending.isSignalled) return;
      ending.isSignalled = true;
      if (mono >= ending.toldAt + ending.waitMs - SLACK_MS || isHurried(pods.get(uid))) return;
      const service = scene.servedBeside(uid);
      if (service === undefined) return;
      throw new InvariantViolation('signal', `${uid} ${container}#${attempt} got it while ${service} led there`);
    },
  });
  scene.check(() => {
    for (const [uid, { waitMs, toldAt, hasHooks: mayWait, isSignalled }] of endings) {
      if (isSignalled || mayWait) continue;
      if (scene.now() <= Math.max(toldAt + waitMs, scene.calmSince(uid) + 30_000) + LATE_MS) continue;
      if (scene.isRunning(uid)) throw new InvariantViolation('signal', `${uid} still waits for it`);
      endings.delete(uid);
    }
  });
}

/** Somebody shortened the grace to nothing meanwhile. */
function isHurried(pod: Pod | undefined): boolean {
  return (pod?.metadata?.deletionGracePeriodSeconds ?? 0) < LEAST_GRACE_SECONDS;
}

function isOver({ status }: Pod): boolean {
  return status?.phase === 'Succeeded' || status?.phase === 'Failed';
}

function hasHooks({ spec }: Pod): boolean {
  const all = [...(spec?.containers ?? []), ...(spec?.initContainers ?? [])];
  return all.some(({ lifecycle }) => lifecycle?.preStop !== undefined);
}
