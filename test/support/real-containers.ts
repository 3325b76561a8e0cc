/** Finds the pods that really run on this machine, on all nodes of all labs, by the environment of processes. */
import { readdirSync, readFileSync } from 'node:fs';

export interface RealPod {
  readonly name: string;
  readonly uid: string;
  readonly node: string;
  /** Process ids. */
  readonly pids: readonly number[];
}

/** Variables that identify the pods of a test; `mark` distinguishes concurrent tests. */
export function traceable(mark: string): readonly object[] {
  const field = (name: string, fieldPath: string): object => ({ name, valueFrom: { fieldRef: { fieldPath } } });
  return [
    { name: 'LAB_MARK', value: mark },
    field('POD_NAME', 'metadata.name'),
    field('POD_UID', 'metadata.uid'),
    field('NODE_NAME', 'spec.nodeName'),
  ];
}

/** Pods with at least one living process. */
export function realPods(mark: string): readonly RealPod[] {
  const pods = new Map<string, RealPod>();
  for (const entry of readdirSync('/proc')) {
    if (!/^\d+$/.test(entry)) continue;
    const values = environmentOf(entry);
    if (values.get('LAB_MARK') !== mark) continue;
    const uid = values.get('POD_UID') ?? '';
    const pids = [...(pods.get(uid)?.pids ?? []), Number(entry)];
    pods.set(uid, { name: values.get('POD_NAME') ?? '', uid, node: values.get('NODE_NAME') ?? '', pids });
  }
  return [...pods.values()];
}

function environmentOf(pid: string): ReadonlyMap<string, string> {
  try {
    const text = readFileSync(`/proc/${pid}/environ`, 'utf8');
    return new Map(text.split('\0').map((each) => [each.split('=', 1)[0] ?? '', each.slice(each.indexOf('=') + 1)]));
  } catch {
    return new Map();
  }
}
