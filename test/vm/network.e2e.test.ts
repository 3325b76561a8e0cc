/** Tests the pods' network on a machine with only nftables: port mappings, masquerading, and foreign tables. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { busyboxPod } from '../e2e/harness.ts';
import { MendletOnGuest, until } from './mendlet-on-guest.ts';

/** A host outside this machine: a network namespace behind a separate link. */
const HOST = '192.0.2.1';
const OUTSIDE = '192.0.2.2';
const PORT = 8081;
const FOREVER = 'exec sleep 360000';

/** An administrator's firewall in nft's syntax, which mendlet must not change. */
const FIREWALL = `
table inet fw {
  set known { type ipv4_addr; elements = { 198.51.100.7 } }
  chain input {
    type filter hook input priority filter + 10; policy accept;
    ip saddr @known tcp dport 22 accept comment "keep"
  }
  chain forward { type filter hook forward priority filter + 10; policy accept; }
}
table ip administrators {
  chain post { type nat hook postrouting priority srcnat + 5; ip daddr 198.51.100.0/24 masquerade; }
}
`;

const mendlet = new MendletOnGuest();
const { guest } = mendlet;

const theirs = (): Promise<string> => guest.sh('nft list table inet fw; nft list table ip administrators');
const ours = (): Promise<string> => guest.sh('iptables-save | grep -E "MENDLET-|CNI-" || true');
/** Our own tables. */
const tables = (): Promise<string> =>
  guest.sh('for each in $(nft list tables ip | grep -o "mendlet-.*"); do nft list table ip $each; done');
let firewall = '';
/** Linux' modules: systemd loads some of the old packet filter itself. */
const modules = async (): Promise<readonly string[]> => (await guest.sh('cut -d " " -f 1 /proc/modules')).split('\n');
let modulesBefore: readonly string[] = [];

beforeAll(async () => {
  await guest.on();
  await mendlet.write('/etc/test.nft', FIREWALL);
  await guest.sh(
    [
      'nft -f /etc/test.nft',
      'ip netns add outside',
      'ip link add out0 type veth peer name eth0 netns outside',
      `ip address add ${HOST}/24 dev out0 && ip link set out0 up`,
      `ip -n outside address add ${OUTSIDE}/24 dev eth0 && ip -n outside link set eth0 up`,
    ].join(' && '),
  );
  firewall = await theirs();
  modulesBefore = await modules();
  await mendlet.up();
});
afterAll(() => mendlet.remove());

const outside = (script: string): string => `ip netns exec outside ${script}`;

async function untilServed(): Promise<void> {
  await until('an answer of the mapped port', async () => {
    const { stdout, stderr } = await guest.try(outside(`busybox wget -T 60 -q -O - http://${HOST}:${PORT}/`));
    return stdout === 'served\n' ? { value: undefined } : { last: stdout + stderr };
  });
}

it('iptables is nft here, and no other packet filter is loaded', async () => {
  expect(await guest.sh('iptables --version')).toContain('(nf_tables)');
  const loaded = (await modules()).filter((name) => !modulesBefore.includes(name));
  expect(loaded.filter((name) => /^(iptable_\w+|ip_tables)$/.test(name))).toEqual([]);
  expect(await ours()).toContain('-j ACCEPT');
  expect(await ours()).not.toContain('MASQUERADE');
  expect(await tables()).toContain('@peer-networks masquerade');
});

it('a mapped port is reached from beyond', async () => {
  await mendlet.create(
    busyboxPod('server', 'mkdir /www; echo served >/www/index.html; exec httpd -f -p 80 -h /www', {
      container: { ports: [{ containerPort: 80, hostPort: PORT }] },
    }),
  );
  await mendlet.untilRunning('server');
  await untilServed();
  expect(await tables()).toContain(`tcp . ${PORT} : `);
  expect(await ours()).not.toContain(`--dport ${PORT} `);
});

it('a pod goes out under the address of the machine', async () => {
  // The server logs the addresses of its clients.
  await guest.sh(`systemd-run --quiet --unit=beyond ${outside('busybox httpd -f -vv -p 9000 -h /etc')}`);
  await mendlet.create(
    busyboxPod(
      'client',
      `while true; do wget -q -O - http://${OUTSIDE}:9000/hostname && break; sleep 2; done; ${FOREVER}`,
    ),
  );
  const served = await until<string>('a request of the pod', async () => {
    const log = await guest.sh('journalctl --no-pager -o cat -u beyond');
    const found = [...log.matchAll(/(\d+\.\d+\.\d+\.\d+)\]?:\d+/g)].map(([, address]) => address);
    return found.length > 0 ? { value: [...new Set(found)].join() } : { last: log };
  });
  expect(served).toBe(HOST);
});

it('what somebody flushed is there again, and an event says so', async () => {
  const [chains, rules] = [await ours(), await tables()];
  const outline = (text: string): string => text.replaceAll(/elements = \{[^}]*\}|# handle \d+/g, '');
  await guest.sh('nft flush ruleset && nft -f /etc/test.nft');
  await untilServed();
  await until('the rules of before', async () => {
    const [chainsNow, rulesNow] = [await ours(), await tables()];
    const isBack = sorted(chainsNow) === sorted(chains) && outline(rulesNow) === outline(rules);
    return isBack ? { value: undefined } : { last: chainsNow + rulesNow };
  });
  await until('the event', async () => {
    const events = await mendlet.kubectl('get events -A');
    return events.includes('PacketFilterRestored') ? { value: undefined } : { last: events };
  });
});

it('what somebody flushed while mendlet was away is there again when it starts', async () => {
  await guest.sh('systemctl stop mendlet && nft flush ruleset && nft -f /etc/test.nft');
  expect([await ours(), await tables()]).toEqual(['', '']);
  await guest.sh('systemctl start mendlet');
  await mendlet.untilReady();
  expect(await ours()).toContain('-j ACCEPT');
  await untilServed();
});

it('the firewall of others is as it was, and after "down" it is alone', async () => {
  expect(await theirs()).toBe(firewall);
  await guest.sh('systemctl disable mendlet && systemctl stop mendlet && mendlet down --purge');
  expect([await ours(), await tables()]).toEqual(['', '']);
  expect(await theirs()).toBe(firewall);
  expect(await guest.sh('ip -br link')).not.toContain('mndt-');
  expect(await guest.sh('ls -d /sys/fs/cgroup/mendlet_*.slice 2>/dev/null || true')).toBe('');
  expect(await guest.sh('ls /var/lib/mendlet 2>/dev/null || true')).toBe('');
  expect(await guest.sh('pgrep -a containerd || true')).toBe('');
});

/** Counters of packets differ, and chains come in another order. */
function sorted(rules: string): string {
  return rules
    .replaceAll(/ \[\d+:\d+\]/g, '')
    .split('\n')
    .toSorted()
    .join('\n');
}
