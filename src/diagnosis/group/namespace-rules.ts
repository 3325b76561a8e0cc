/** Rules about a namespace itself: its deletion does not end. */
import type { Namespace } from '../../api/index.ts';
import { parseTime } from '../../lib/index.ts';
import type { GroupEvidence, RemainingObject } from '../evidence/group-evidence.ts';
import { formatAge, listed, shellWord } from '../facts/words/text.ts';
import type { Quote, RankedFinding } from '../finding.ts';
import { LATE_DELETION_MS, SOON_MS } from '../limits.ts';
import { NOTHING } from '../rule.ts';

const REMAINING =
  /^(?:NamespaceContentRemaining|NamespaceFinalizersRemaining|NamespaceDeletion\w+Failure|NamespaceDeletion\w+Failed)$/;
/** The conditions that only count what the objects themselves tell. */
const COUNTS: ReadonlySet<string> = new Set(['NamespaceContentRemaining', 'NamespaceFinalizersRemaining']);
/** The finalizer of the namespace controller itself. */
const OF_KUBERNETES = 'kubernetes';

export interface RemainingResource {
  readonly resource: string;
  /** Empty for the core group. */
  readonly group: string;
}

/** The resources of which something is left, as the namespace's conditions name them; none for one that does not go. */
export function remainingResources({ metadata, status }: Namespace): readonly RemainingResource[] {
  if (!metadata?.deletionTimestamp) return [];
  const condition = (status?.conditions ?? []).find(
    (one) => one.type === 'NamespaceContentRemaining' && one.status === 'True',
  );
  const named = (condition?.message ?? '').matchAll(
    /([a-z][a-z0-9-]{0,62})\.([a-z0-9.-]{0,253}) has \d+ resource instances/g,
  );
  return [...named].map(([, resource = '', group = '']) => ({ resource, group }));
}

export function namespaceFindings({ scope, now }: GroupEvidence): readonly RankedFinding[] {
  if (scope.kind !== 'namespace') return NOTHING;
  const { namespace, object, remaining = [] } = scope;
  const at = object?.metadata?.deletionTimestamp;
  const since = parseTime(at ?? undefined);
  if (!at || since === undefined) return NOTHING;
  const held = (object?.status?.conditions ?? []).filter(
    ({ type, status }) => status === 'True' && REMAINING.test(type),
  );
  const isLate = now - since >= LATE_DELETION_MS;
  // Somebody else has to remove what keeps an object, which a note tells at once.
  const isKept = held.some(({ type }) => /Finalizers/.test(type)) || remaining.length > 0;
  if (!isLate && !(isKept && now - since >= SOON_MS)) return NOTHING;
  // What the objects themselves tell need not be counted.
  const said = held.filter(({ type }) => remaining.length === 0 || !COUNTS.has(type));
  const own = ownFinalizers(object);
  const why = [
    ...(remaining.length === 0 ? [] : [holdersText(remaining)]),
    ...said.map(({ message }) => message ?? '').filter((text) => text !== ''),
    ...(held.length > 0 || own.length === 0 ? [] : [`${finalizersText(own, 'its')} still there`]),
  ];
  return [
    {
      id: 'namespace-terminating',
      severity: isLate ? 'critical' : 'info',
      rank: 99,
      topic: 'namespace',
      says: `namespace ${namespace} has been going for ${formatAge(now - since)}${why.length === 0 ? ', and nothing says what it waits for' : `: ${why.join('; ')}`}`,
      evidence: [
        ...remaining.slice(0, 2).map(holderQuote),
        { source: 'field', path: 'metadata.deletionTimestamp', value: at },
        ...held
          .filter((one) => !said.includes(one))
          .map(
            ({ type, message = '' }): Quote => ({
              source: 'field',
              path: `status.conditions[${type}]`,
              value: message,
            }),
          ),
      ],
      try:
        remaining.length === 0
          ? [`kubectl get namespace ${shellWord(namespace)} -o yaml`]
          : remaining.slice(0, 2).flatMap((one) => commandsFor(namespace, one)),
    },
  ];
}

function ownFinalizers(object: Namespace | undefined): readonly string[] {
  return [...(object?.metadata?.finalizers ?? []), ...(object?.spec?.finalizers ?? [])].filter(
    (one) => one !== OF_KUBERNETES,
  );
}

/** "ConfigMap tenant-state holds the namespace: its finalizer acme.io/cleanup is still there" */
function holdersText(remaining: readonly RemainingObject[]): string {
  const names = listed(remaining.map(({ kind, name }) => `${kind} ${name}`));
  const finalizers = [...new Set(remaining.flatMap((one) => one.finalizers))];
  const [holds, whose] = remaining.length === 1 ? ['holds', 'its'] : ['hold', 'their'];
  return `${names} ${holds} the namespace: ${finalizersText(finalizers, whose)} still there`;
}

function finalizersText(finalizers: readonly string[], whose: string): string {
  return `${whose} ${finalizers.length === 1 ? 'finalizer' : 'finalizers'} ${listed(finalizers)} ${finalizers.length === 1 ? 'is' : 'are'}`;
}

function holderQuote({ resource, name, finalizers }: RemainingObject): Quote {
  return { source: 'field', of: `${resource}/${name}`, path: 'metadata.finalizers', value: JSON.stringify(finalizers) };
}

/** The finalizer is for its controller to remove; to remove it by hand leaves what it guards. */
function commandsFor(namespace: string, { resource, name }: RemainingObject): readonly string[] {
  const object = shellWord(`${resource}/${name}`);
  const patch = shellWord('[{"op":"remove","path":"/metadata/finalizers"}]');
  return [
    `kubectl -n ${shellWord(namespace)} get ${object} -o yaml`,
    `kubectl -n ${shellWord(namespace)} patch ${object} --type=json -p ${patch}`,
  ];
}
