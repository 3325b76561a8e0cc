/** Runs `doctor` on an open cluster: asks the nodes, and prints what they found. */
import { PODS } from '../../api/index.ts';
import type { ClusterSession } from '../cluster-session.ts';
import { type ExitCode, exitCodes } from '../exit-codes.ts';
import { askNodes, type ServiceName } from './ask-nodes.ts';
import { UsageError } from '../usage-error.ts';
import { isWell, printPaths } from './print-paths.ts';

export interface DoctorOptions {
  /** The name of a service; undefined: the API server's. */
  readonly target: string | undefined;
  readonly node?: string;
  /** The pod from which the way is tried. */
  readonly from?: ServiceName;
  readonly output: 'text' | 'json';
}

const API_SERVER: ServiceName = { namespace: 'default', name: 'kubernetes' };

/**
 * @throws StatusError when the nodes may not be read or asked, or there is no such pod
 * @throws UsageError when the pod is on no node, or on another one
 */
export async function runDoctor(session: ClusterSession, options: DoctorOptions): Promise<ExitCode> {
  const { target, output, from } = options;
  const service = target === undefined ? API_SERVER : { namespace: session.namespace, name: target };
  const node = from === undefined ? options.node : await nodeOf(session, from, options.node);
  const answers = await askNodes(session, service, { ...(node && { node }), ...(from && { pod: from }) });
  const well = isWell(answers);
  if (output === 'json') session.out(`${JSON.stringify({ service, well, nodes: answers }, null, 2)}\n`);
  else session.outRaw(printPaths(service, answers, session.columns !== undefined));
  return well ? exitCodes.done : exitCodes.failed;
}

/** The node on which the pod runs. */
async function nodeOf(session: ClusterSession, { namespace, name }: ServiceName, wanted?: string): Promise<string> {
  const { spec } = await session.client.get(PODS, namespace, name, session.signal);
  if (!spec?.nodeName) throw new UsageError(`Pod ${namespace}/${name} is on no node yet.`);
  if (wanted !== undefined && wanted !== spec.nodeName)
    throw new UsageError(`Pod ${namespace}/${name} is on node ${spec.nodeName}, not on ${wanted}.`);
  return spec.nodeName;
}
