/** What a viewer may do in a namespace, and doing it: each act goes to the API server with the viewer's own rights. */
import { SELF_SUBJECT_ACCESS_REVIEWS, type SelfSubjectAccessReview } from '../../api/index.ts';
import { actKind, actOn, rightsFor, type ActResult, type Right } from '../../cli/index.ts';
import type { Clock, Logger } from '../../lib/index.ts';
import { type Act, type ActAnswer, type ActName, ACTS, type Rights } from '../../page/index.ts';
import { ACT_MS } from '../limits.ts';
import type { Viewer } from '../ports.ts';
import { Refused } from '../refused.ts';
import { rowId } from './row-id.ts';
import { shownText } from './shown-text.ts';

const READ_ONLY = 'The page was opened read-only: "mendlet dashboard --write" opens it for acts.';

/** @throws StatusError, ConnectionError */
export async function rightsIn(
  viewer: Viewer,
  namespace: string,
  mayWrite: boolean,
  signal: AbortSignal,
): Promise<Rights> {
  if (!mayWrite) return rights(() => ({ allowed: false, reason: READ_ONLY }));
  // Several acts need the same right: each is asked for once.
  const asked = new Map<string, Promise<boolean>>();
  const may = (right: Right): Promise<boolean> => {
    const key = JSON.stringify(right);
    const answer = asked.get(key) ?? isAllowed(viewer, namespace, right, signal);
    asked.set(key, answer);
    return answer;
  };
  const entries = await Promise.all(
    ACTS.map(async (act) => {
      const needed = rightsFor(act);
      const allowed = (await Promise.all(needed.map(may))).some((each) => each);
      return [act, allowed ? { allowed } : { allowed, reason: reasonOf(viewer, namespace, needed) }] as const;
    }),
  );
  return Object.fromEntries(entries) as Rights;
}

function rights(one: () => Rights[ActName]): Rights {
  return Object.fromEntries(ACTS.map((act) => [act, one()])) as Rights;
}

function reasonOf({ name }: Viewer, namespace: string, [right]: readonly Right[]): string {
  const what = right === undefined ? '' : ` ${right.verb} ${nameOf(right)}`;
  return shownText(`${name} may not${what} in namespace ${namespace}`);
}

/** "pods/restart" */
function nameOf({ resource, subresource }: Right): string {
  return subresource === undefined ? resource : `${resource}/${subresource}`;
}

async function isAllowed(viewer: Viewer, namespace: string, right: Right, signal: AbortSignal): Promise<boolean> {
  const question: SelfSubjectAccessReview = {
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SelfSubjectAccessReview',
    metadata: {},
    spec: { resourceAttributes: { namespace, ...right } },
  };
  const { status } = await viewer.client.create(SELF_SUBJECT_ACCESS_REVIEWS, question, signal);
  return status?.allowed === true;
}

export interface ActFrame {
  readonly clock: Clock;
  readonly logger: Logger;
  /** undefined: all */
  readonly namespace: string | undefined;
  readonly mayWrite: boolean;
  /** A restart of a workload goes on as long as the session, however soon the page leaves. */
  readonly signal: AbortSignal;
}

/** @throws Refused */
export async function carryOut(viewer: Viewer, body: unknown, frame: ActFrame): Promise<ActAnswer> {
  if (!frame.mayWrite) throw new Refused(403, READ_ONLY);
  const { act, kind, namespace, name, container } = readAct(body);
  const id = rowId([kind, namespace, name], frame.namespace);
  const target = actKind(id.kind);
  if (target === undefined) throw new Refused(400, `Nothing can be done to a ${kind}.`);
  const { clock, logger, signal } = frame;
  // A restart of a workload answers when it has begun: without this, a refusal of its first step would be told to nobody.
  const needed = rightsFor(act);
  const answers = await Promise.all(needed.map((right) => isAllowed(viewer, namespace, right, signal)));
  if (!answers.includes(true)) throw new Refused(403, reasonOf(viewer, namespace, needed));
  const context = { client: viewer.client, connection: viewer.connection, clock, signal };
  const work = actOn(
    context,
    act,
    { kind: target, namespace, name, ...(container === undefined ? {} : { container }) },
    'asked for on the live page',
  );
  const result = await Promise.race([
    work,
    clock.sleep(ACT_MS, signal).then((): ActResult => ({ ok: true, words: `${kind}/${name}: it is under way` })),
  ]);
  // Whoever looks at the rows sees how it goes on; the log has how it ended.
  void result.rest?.then(({ ok, words }) => logger.info('act ended', { act, ok, words: shownText(words) }));
  if (!result.ok) throw new Refused(409, shownText(result.words));
  return { ok: true, words: shownText(result.words) };
}

/** @throws Refused */
function readAct(body: unknown): Act {
  const fields = typeof body === 'object' && body !== null ? (body as Record<string, unknown>) : {};
  const { act, kind, namespace, name, container } = fields;
  const isText = (value: unknown): value is string => typeof value === 'string' && value.length <= 253;
  const known = ACTS.find((each) => each === act);
  if (known === undefined || !isText(kind) || !isText(namespace) || !isText(name))
    throw new Refused(400, `An act is wanted: {"act":"${ACTS.join('|')}","kind","namespace","name"}.`);
  if (container !== undefined && (!isText(container) || kind !== 'pod'))
    throw new Refused(400, 'A container is named with its pod alone.');
  return { act: known, kind, namespace, name, ...(container === undefined ? {} : { container }) };
}
