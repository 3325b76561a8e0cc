/** Names what differs between two pod templates: images, variables, volumes and every other field. Pure. */
import type { PodTemplateSpec } from '../../api/index.ts';
import { MASK, maskSecrets } from '../../log-analysis/index.ts';

/** Differences named; a count stands for the others. */
const MAX_DIFFERENCES = 12;
const MAX_VALUE_CHARACTERS = 60;
/** Objects in objects that are compared one by one; deeper ones are one value. */
const MAX_DEPTH = 12;

/** Lists whose items have names, with the word for one item. */
const NAMED_LISTS: Readonly<Record<string, string>> = {
  containers: 'container',
  initContainers: 'init container',
  env: 'env',
  volumes: 'volume',
  ports: 'port',
  imagePullSecrets: 'imagePullSecret',
};
/** Set by controllers, for themselves. */
const OWN_LABELS = new Set(['pod-template-hash', 'controller-revision-hash']);

/** "container web image: a → b", "container web env MODE: added". Secrets are masked; values are cut. Empty: none differs. */
export function templateChanges(before: PodTemplateSpec, after: PodTemplateSpec): readonly string[] {
  const labels = { before: before.metadata?.labels, after: after.metadata?.labels };
  const annotations = { before: before.metadata?.annotations, after: after.metadata?.annotations };
  const all = [
    ...differences([], before.spec, after.spec),
    ...differences(['label'], withoutOwn(labels.before), withoutOwn(labels.after)),
    ...differences(['annotation'], annotations.before ?? {}, annotations.after ?? {}),
  ];
  const left = all.length - MAX_DIFFERENCES;
  return left <= 0 ? all : [...all.slice(0, MAX_DIFFERENCES), `${left} more`];
}

function withoutOwn(labels: Readonly<Record<string, string>> = {}): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(labels).filter(([key]) => !OWN_LABELS.has(key)));
}

type Fields = Readonly<Record<string, unknown>>;

function differences(path: readonly string[], before: unknown, after: unknown): readonly string[] {
  if (JSON.stringify(before) === JSON.stringify(after)) return [];
  if (isFields(before) && isFields(after) && path.length < MAX_DEPTH) {
    const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])];
    return keys.flatMap((key) => ofField(path, key, before[key], after[key]));
  }
  return [told(path, before, after)];
}

function ofField(path: readonly string[], key: string, before: unknown, after: unknown): readonly string[] {
  const word = NAMED_LISTS[key];
  if (word === undefined || !isNamedList(before) || !isNamedList(after)) {
    return differences([...path, key], before, after);
  }
  const [old, now] = [byName(before), byName(after)];
  return [...new Set([...old.keys(), ...now.keys()])].flatMap((name) =>
    differences([...path, `${word} ${name}`], old.get(name), now.get(name)),
  );
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isNamedList(value: unknown): value is readonly Fields[] | undefined {
  return value === undefined || (Array.isArray(value) && value.every((item) => isFields(item) && nameOf(item) !== ''));
}

function byName(items: readonly Fields[] = []): ReadonlyMap<string, Fields> {
  return new Map(items.map((item) => [nameOf(item), item]));
}

/** Ports may have numbers alone. */
function nameOf(item: Fields): string {
  const name = item['name'] ?? item['containerPort'];
  return typeof name === 'string' || typeof name === 'number' ? String(name) : '';
}

function told(path: readonly string[], before: unknown, after: unknown): string {
  const words = path.at(-1) === 'value' && path.at(-2)?.startsWith('env ') === true ? path.slice(0, -1) : path;
  const where = words.join(' ');
  // An item with a name needs no value: its name says which.
  if (before === undefined) return isFields(after) ? `${where}: added` : `${where}: added ${valueText(words, after)}`;
  if (after === undefined) return `${where}: removed`;
  const [old, now] = [valueText(words, before), valueText(words, after)];
  return old === now || old.includes(MASK) || now.includes(MASK) ? `${where}: changed` : `${where}: ${old} → ${now}`;
}

/** The value behind the name of its field, which may say that it is a secret. */
function valueText(path: readonly string[], value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  const key = `${path.at(-1)?.replace(/^env /, '') ?? ''}=`;
  const masked = maskSecrets(`${key}${text}`);
  const shown = masked.startsWith(key) ? masked.slice(key.length) : MASK;
  return shown.length <= MAX_VALUE_CHARACTERS ? shown : `${shown.slice(0, MAX_VALUE_CHARACTERS - 1)}…`;
}
