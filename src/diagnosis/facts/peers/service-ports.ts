/** What a peer that refuses or does not answer lacks by its service: the port, or the protocol at that port. Pure. */
import type { ServiceEvidence } from '../../evidence/pod-evidence.ts';
import { listed } from '../words/text.ts';

/** Words of clients that ask with UDP, whatever their port is. */
const UDP_SAID = /\budp\b|\bDatagramSocket\b|\bdgram\b|\bsendto\b|\brecvfrom\b/i;
/** Words of clients that ask with UDP first, by the ports of their protocols. */
const UDP_CLIENTS: ReadonlyMap<number, RegExp> = new Map([
  [53, /communications error to|no servers could be reached|\bnslookup\b|\bdig\b|\bDNS\b|\bresolv|\bquery[A-Z]* E/i],
  [69, /\btftp\b/i],
  [88, /\bkinit\b|\bKDC\b|kerberos/i],
  [123, /\bntp/i],
  [161, /\bsnmp/i],
  [1812, /\bradius|\brad(?:client|test|auth)\b/i],
  [1813, /\bradius|\bradacct\b/i],
  [8125, /statsd/i],
]);
const TCP_SAID = /\btcp\b|\bconnect(?:ing)?\b|ConnectException|ConnectionRefused|connection refused|\bhttps?:\/\//i;

type Ports = Pick<ServiceEvidence, 'name' | 'clusterIPs' | 'ports' | 'served' | 'unled' | 'targets'>;

/**
 * ": service cache has no port 6379, but 6380", of one with an address; a headless one leads to its pods, whatever its ports are: ": service web
 * is headless, so that its pods are asked at port 80 themselves, and serve at 8080".
 */
export function otherPortText(service: Ports, port: number | undefined): string {
  const { name, clusterIPs, ports } = service;
  if (port !== undefined && clusterIPs.length === 0) return unmappedText(service, port);
  if (port === undefined || ports.length === 0 || ports.includes(port)) return '';
  return `: service ${name} has no port ${port}, but ${listed([...new Set(ports)].map(String))}`;
}

function unmappedText({ name, targets = [] }: Ports, port: number): string {
  const own = [...new Set(targets.filter((each) => each.port === port).map(({ target }) => target))];
  return own.length === 0 || own.includes(port)
    ? ''
    : `: service ${name} is headless, so that its pods are asked at port ${port} themselves, and serve at ${listed(own.map(String))}`;
}

/** ": port 80 of service shop leads to the port "web", which none of its pods has" */
export function unledText({ name, unled = [] }: Ports, port: number | undefined): string {
  const found =
    unled.find((each) => each.port === port) ?? (port === undefined && unled.length === 1 ? unled[0] : undefined);
  return found === undefined
    ? ''
    : `: port ${found.port} of service ${name} leads to the port "${found.target}", which none of its pods has`;
}

/** ": service dns has port 53 with TCP only, and it is asked with UDP" */
export function otherProtocolText(
  { name, clusterIPs, served = [] }: Ports,
  port: number | undefined,
  line: string,
): string {
  if (port === undefined || clusterIPs.length === 0) return '';
  const own = served.flatMap((each) => (each.startsWith(`${port}/`) ? [each.slice(each.indexOf('/') + 1)] : []));
  const asked = askedWith(port, line);
  if (own.length === 0 || asked === undefined || own.includes(asked)) return '';
  return `: service ${name} has port ${port} with ${listed(own)} only, and it is asked with ${asked}`;
}

/** The protocol of the client, as its words tell; undefined: they may be of either. */
function askedWith(port: number, line: string): 'UDP' | 'TCP' | undefined {
  if (UDP_SAID.test(line)) return 'UDP';
  if (/\btcp\b/i.test(line)) return 'TCP';
  if (UDP_CLIENTS.get(port)?.test(line) === true) return 'UDP';
  return TCP_SAID.test(line) ? 'TCP' : undefined;
}
