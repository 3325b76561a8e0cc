/**
 * Parses the dependencies of a pod (`mendlet.dev/depends-on`) strictly: "service/db.prod:5432, pod/cache-0, 10.0.0.7:5432".
 * Pure.
 */
import { isIpAddress } from '../ip-address.ts';
import { checkDns1123Label, checkDns1123Subdomain, checkPortName } from '../names.ts';
import { MAX_DEPENDENCIES, MAX_DEPENDS_ON_LENGTH } from './limits.ts';

/** An object of the API whose readiness the control plane sees. */
export interface ObjectDependency {
  readonly kind: 'Service' | 'Pod' | 'Deployment' | 'StatefulSet';
  readonly namespace: string;
  readonly name: string;
  /** Port of a service, by number or name. Absent: any. */
  readonly port?: string;
  /** The text for messages: "service/db.prod:5432". */
  readonly text: string;
}

/** Somewhere that accepts TCP, as the node reaches it. */
export interface AddressDependency {
  readonly kind: 'Address';
  readonly host: string;
  readonly port: number;
  /** "10.0.0.7:5432", "[fd00::7]:5432". */
  readonly text: string;
}

export type Dependency = ObjectDependency | AddressDependency;

export interface DependsOn {
  /** Each once, at most `MAX_DEPENDENCIES`. */
  readonly dependencies: readonly Dependency[];
  /** The problems of invalid entries; the other entries are used. */
  readonly problems: readonly string[];
}

/** Kubernetes' names and kubectl's short ones. */
const KINDS: Readonly<Record<string, ObjectDependency['kind']>> = {
  service: 'Service',
  svc: 'Service',
  pod: 'Pod',
  po: 'Pod',
  deployment: 'Deployment',
  deploy: 'Deployment',
  statefulset: 'StatefulSet',
  sts: 'StatefulSet',
};
const FORMS = 'service/NAME[.NAMESPACE][:PORT], pod/NAME, deployment/NAME, statefulset/NAME or HOST:PORT';

/**
 * Entries are separated by commas or white space; an invalid entry is a problem and left out.
 * @param namespace the pod's own, for names without one
 */
export function readDependsOn(text: string, namespace: string): DependsOn {
  if (text.length > MAX_DEPENDS_ON_LENGTH) {
    return { dependencies: [], problems: [`must have at most ${MAX_DEPENDS_ON_LENGTH} characters`] };
  }
  const found = new Map<string, Dependency>();
  const problems: string[] = [];
  for (const entry of text.split(/[\s,]+/).filter((part) => part !== '')) {
    const read = entry.includes('/') ? readObject(entry, namespace) : readAddress(entry);
    if (typeof read === 'string') problems.push(`"${entry}": ${read}`);
    else found.set(read.text, read);
  }
  const all = [...found.values()];
  for (const { text: extra } of all.slice(MAX_DEPENDENCIES)) {
    problems.push(`"${extra}": a pod may name at most ${MAX_DEPENDENCIES} dependencies`);
  }
  return { dependencies: all.slice(0, MAX_DEPENDENCIES), problems };
}

/** The dependency, or what is wrong with it. */
function readObject(entry: string, namespace: string): ObjectDependency | string {
  const slash = entry.indexOf('/');
  const kind = Object.hasOwn(KINDS, entry.slice(0, slash)) ? KINDS[entry.slice(0, slash)] : undefined;
  if (kind === undefined) return `must be ${FORMS}`;
  const rest = entry.slice(slash + 1);
  if (kind === 'Service') return readService(rest, namespace);
  const [problem] = checkDns1123Subdomain(rest);
  return problem ?? { kind, namespace, name: rest, text: `${kind.toLowerCase()}/${rest}` };
}

function readService(rest: string, own: string): ObjectDependency | string {
  const [target = '', port, ...more] = rest.split(':');
  const [name = '', namespace = own, ...labels] = target.split('.');
  if (more.length > 0 || labels.length > 0) return 'must be service/NAME[.NAMESPACE][:PORT]';
  const [problem] = [
    ...checkDns1123Label(name).map((message) => `name: ${message}`),
    ...checkDns1123Label(namespace).map((message) => `namespace: ${message}`),
    ...(port === undefined ? [] : checkServicePort(port)),
  ];
  if (problem !== undefined) return problem;
  const where = namespace === own ? '' : `.${namespace}`;
  const text = `service/${name}${where}${port === undefined ? '' : `:${port}`}`;
  return { kind: 'Service', namespace, name, ...(port === undefined ? {} : { port }), text };
}

function checkServicePort(port: string): readonly string[] {
  if (/^\d+$/.test(port)) return isPort(port) ? [] : [PORT_RANGE];
  return checkPortName(port).map((message) => `port: ${message}`);
}

function readAddress(entry: string): AddressDependency | string {
  const match = /^(?:\[([^\]]*)\]|([^:[\]]+)):(\d+)$/.exec(entry);
  if (match === null) return `must be ${FORMS}`;
  const [, v6, plain = '', port = ''] = match;
  const host = v6 ?? plain;
  if (!isPort(port)) return PORT_RANGE;
  if (v6 !== undefined && (isIpv4(v6) || !isIpAddress(v6))) return 'brackets must hold an IPv6 address';
  // Four numbers are an address or a mistake, never a name.
  if (v6 === undefined && /^[\d.]+$/.test(host) && !isIpAddress(host))
    return 'must begin with an IP address or a host name';
  const [problem] = v6 === undefined ? checkDns1123Subdomain(host) : [];
  if (problem !== undefined) return `host: ${problem}`;
  const number = Number(port);
  return { kind: 'Address', host, port: number, text: `${v6 === undefined ? host : `[${host}]`}:${number}` };
}

const PORT_RANGE = 'port: must be between 1 and 65535, inclusive';

function isPort(text: string): boolean {
  return text.length <= 5 && Number(text) >= 1 && Number(text) <= 65_535;
}

function isIpv4(text: string): boolean {
  return !text.includes(':');
}
