/** The name servers of a node, from resolv.conf(5). Pure. */
import { isIpAddress } from '../../api/index.ts';
import type { ServerAddress } from './dns-sockets.ts';
import { MAX_SERVERS } from './limits.ts';

export const DNS_PORT = 53;
/** systemd-resolved's own file: it names the servers that 127.0.0.53 asks. */
export const SYSTEMD_RESOLV_CONF = '/run/systemd/resolve/resolv.conf';
const SYSTEMD_STUBS = new Set(['127.0.0.53', '127.0.0.54']);

/** The servers in their order; lines that are none are skipped. */
export function serversOf(text: string): readonly ServerAddress[] {
  const servers = text.split('\n').flatMap((line) => {
    const [word, address = ''] = line
      .replace(/[#;].*$/, '')
      .trim()
      .split(/\s+/);
    const [plain = ''] = address.split('%');
    return word === 'nameserver' && isIpAddress(plain) ? [{ address, port: DNS_PORT }] : [];
  });
  return servers.slice(0, MAX_SERVERS);
}

/** Whether the file leads to systemd-resolved alone, whose own file has more to say. */
export function isSystemdStub(servers: readonly ServerAddress[]): boolean {
  return servers.length > 0 && servers.every(({ address }) => SYSTEMD_STUBS.has(address));
}
