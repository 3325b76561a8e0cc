/** The kubelet's paths behind pods/log, exec, attach, portforward and nodes/proxy. Pure. */
import { badRequest, type Node, type Pod } from '../../api/index.ts';
import { isTrue, type ResourceRequest } from '../http/request-info.ts';
import { chooseContainer } from './pod-container.ts';
import type { ProxyName } from './proxy-target.ts';

export interface NodeTarget {
  readonly nodeName: string;
  /** Path and query on the kubelet. */
  readonly url: string;
}

const LOG_FLAGS: readonly string[] = ['follow', 'previous', 'timestamps'];
const LOG_VALUES: readonly string[] = ['sinceSeconds', 'sinceTime', 'tailLines', 'limitBytes', 'stream'];

/** The path of a pod's log; undefined while the pod has no node (its log is empty). Throws 400. */
export function logTarget(pod: Pod, query: URLSearchParams): NodeTarget | undefined {
  const container = chooseContainer(pod, query.get('container') ?? '');
  refuseLogOptions(query);
  const nodeName = pod.spec?.nodeName ?? '';
  if (nodeName === '') return undefined;
  const params = new URLSearchParams();
  for (const flag of LOG_FLAGS) if (isTrue(query.get(flag))) params.set(flag, 'true');
  for (const name of LOG_VALUES) {
    const value = query.get(name);
    if (value !== null && value !== '') params.set(name, value);
  }
  return { nodeName, url: withQuery(podPath('containerLogs', pod, container), params) };
}

function refuseLogOptions(query: URLSearchParams): void {
  for (const [name, minimum] of [
    ['tailLines', 0],
    ['limitBytes', 1],
    ['sinceSeconds', 1],
  ] as const) {
    const text = query.get(name) ?? '';
    if (text !== '' && !(Number.isSafeInteger(Number(text)) && Number(text) >= minimum)) {
      throw badRequest(`invalid value of ${name}: ${JSON.stringify(text)}: must be at least ${minimum}`);
    }
  }
  if (query.get('sinceSeconds') && query.get('sinceTime')) {
    throw badRequest('at most one of sinceTime or sinceSeconds may be specified');
  }
}

/** Query of exec and attach → query of the kubelet's streaming paths. */
const STREAM_FLAGS: readonly (readonly [api: string, kubelet: string])[] = [
  ['stdin', 'input'],
  ['stdout', 'output'],
  ['stderr', 'error'],
  ['tty', 'tty'],
];

/** The path of exec, attach and portforward. Throws 400 for a pod that is on no node or has ended. */
export function streamTarget(pod: Pod, info: ResourceRequest): NodeTarget {
  const name = pod.metadata?.name ?? '';
  const { phase } = pod.status ?? {};
  const isForward = info.subresource === 'portforward';
  if (!isForward && (phase === 'Succeeded' || phase === 'Failed')) {
    throw badRequest(`cannot exec into a container in a completed pod; current phase is ${phase}`);
  }
  const container = isForward ? '' : chooseContainer(pod, info.query.get('container') ?? '');
  const nodeName = pod.spec?.nodeName ?? '';
  if (nodeName === '') throw badRequest(`pod ${name} does not have a host assigned`);
  const params = new URLSearchParams();
  if (isForward) {
    for (const port of info.query.getAll('ports')) params.append('ports', port);
    return { nodeName, url: withQuery(podPath('portForward', pod), params) };
  }
  for (const [api, kubelet] of STREAM_FLAGS) if (isTrue(info.query.get(api))) params.set(kubelet, '1');
  if (info.subresource === 'exec') for (const word of info.query.getAll('command')) params.append('command', word);
  return { nodeName, url: withQuery(podPath(info.subresource ?? '', pod, container), params) };
}

/**
 * The path of nodes/proxy: the rest of the path on the kubelet itself, in the one spelling that was authorized. `node` is
 * only needed if a port is given. Throws 400 for another port of the node than its kubelet's, and for a path that some server
 * might shorten to another one.
 */
export function proxyTarget(info: ResourceRequest, { scheme, name, port }: ProxyName, node?: Node): NodeTarget {
  const own = node?.status?.daemonEndpoints?.kubeletEndpoint?.Port;
  if (port !== '' && port !== String(own ?? '')) {
    throw badRequest(`address not allowed: only the kubelet of a node is reached through it, not its port ${port}`);
  }
  if (scheme === 'http') throw badRequest('address not allowed: a kubelet speaks https alone');
  for (const part of info.restParts) {
    if (part === '.' || part === '..' || /[/\\\0]/.test(part)) {
      throw badRequest(`invalid path behind proxy: ${JSON.stringify(part)} may not be a part of it`);
    }
  }
  const path = `/${info.restParts.map(encodeURIComponent).join('/')}`;
  return { nodeName: name, url: withQuery(path, info.query) };
}

function podPath(verb: string, pod: Pod, container?: string): string {
  const parts = [
    verb,
    pod.metadata?.namespace ?? '',
    pod.metadata?.name ?? '',
    ...(container === undefined ? [] : [container]),
  ];
  return `/${parts.map(encodeURIComponent).join('/')}`;
}

function withQuery(path: string, params: URLSearchParams): string {
  const query = params.toString();
  return query === '' ? path : `${path}?${query}`;
}
