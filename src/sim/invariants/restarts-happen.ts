/** Invariant: a restart that is reported as done was done. */
import type { Pod, PodRestart } from '../../api/index.ts';
import type { Facts } from '../facts.ts';
import { InvariantViolation } from './violation.ts';

interface Asked {
  /** Names of containers that were started since the request. */
  readonly started: Set<string>;
  sandbox: boolean;
  ended: boolean;
}

/**
 * After the request of a restart that is reported as done, its containers were started, in a new sandbox if its scope is the
 * pod.
 */
export function restartsHappen(facts: Facts): void {
  const pods = new Map<string, Pod>();
  /** Requests by UID of the restart; a restart names its pod. */
  const asked = new Map<string, Asked & { readonly podKey: string }>();
  const each = (uid: string, change: (entry: Asked) => void): void => {
    const { namespace, name } = pods.get(uid)?.metadata ?? {};
    for (const entry of asked.values()) if (entry.podKey === `${namespace}/${name}`) change(entry);
  };
  facts.on({
    'pod-written': ({ pod }) => void pods.set(pod.metadata?.uid ?? '', pod),
    'sandbox-created': ({ uid }) =>
      each(uid, (entry) => {
        entry.sandbox = true;
      }),
    started: ({ uid, container }) => each(uid, (entry) => entry.started.add(container)),
    'restart-written': ({ restart }) => {
      const { uid = '', namespace } = restart.metadata ?? {};
      const podKey = `${namespace}/${restart.spec?.podName}`;
      const entry = asked.get(uid) ?? { podKey, started: new Set<string>(), sandbox: false, ended: false };
      asked.set(uid, entry);
      if (entry.ended || restart.status?.phase !== 'Succeeded') return;
      entry.ended = true;
      if (restart.status.reason === 'Restarted') check(restart, entry, pods.get(restart.status.podUID ?? ''));
    },
  });
}

function check(restart: PodRestart, { started, sandbox }: Asked, pod: Pod | undefined): void {
  const { scope = 'pod', container = '' } = restart.spec ?? {};
  const names = scope === 'container' ? [container] : (pod?.spec?.containers ?? []).map(({ name }) => name);
  const missing = names.filter((name) => !started.has(name));
  const told = `${restart.metadata?.name} (${scope}) is told as done`;
  if (missing.length > 0)
    throw new InvariantViolation('restarts happen', `${told}, but ${missing.join()} did not start`);
  if (scope === 'pod' && !sandbox) throw new InvariantViolation('restarts happen', `${told} in the old sandbox`);
}
