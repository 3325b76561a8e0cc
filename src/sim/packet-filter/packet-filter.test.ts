/** The oracle itself, on small rules: what nft refuses, and where packets go. */
import { describe, expect, it } from 'vitest';
import { followPacket, type Packet, type Place } from './follow-packet.ts';
import { UnknownWord } from './nft-syntax.ts';
import { PacketFilter } from './packet-filter.ts';

const MONO = 1000;
const BASE = `table ip t {
chain empty { }
map fronts { type ipv4_addr . inet_proto . inet_service : verdict; }
map slot { type ipv4_addr . inet_proto . inet_service : ipv4_addr . inet_service; }
set pods { type ipv4_addr; flags interval; elements = { 10.244.0.0/16, 10.245.0.0/16 }; }
set plain { type ipv4_addr; }
set dead { type ipv4_addr; flags timeout; timeout 900s; }
set held { type ipv4_addr; flags dynamic,timeout; size 10; timeout 60s; }
}
`;

function filled(...more: readonly string[]): PacketFilter {
  const filter = new PacketFilter();
  expect(filter.apply(BASE, MONO)).toBeUndefined();
  for (const text of more) expect(filter.apply(text, MONO)).toBeUndefined();
  return filter;
}

describe('a transaction', () => {
  const busy = 'add chain ip t used\nadd element ip t fronts { 10.96.0.1 . tcp . 80 : goto used }\n';
  it.each<[string, readonly string[], string, RegExp | undefined]>([
    [
      'takes an element twice',
      [],
      'add element ip t plain { 10.0.0.1 }\nadd element ip t plain { 10.0.0.1 }',
      undefined,
    ],
    ['refuses another value', [busy], 'add element ip t fronts { 10.96.0.1 . tcp . 80 : drop }', /File exists/],
    [
      'takes another value after the first is gone',
      [busy],
      'delete element ip t fronts { 10.96.0.1 . tcp . 80 }\nadd element ip t fronts { 10.96.0.1 . tcp . 80 : drop }',
      undefined,
    ],
    ['refuses overlaps of intervals', [], 'add element ip t pods { 10.244.7.0/24 }', /File exists/],
    ['removes no missing element', [], 'delete element ip t plain { 10.0.0.9 }', /No such file/],
    ['removes no missing chain', [], 'delete chain ip t nothing', /No such file/],
    ['empties no missing chain', [], 'flush chain ip t nothing', /No such file/],
    ['removes no chain that an element leads to', [busy], 'delete chain ip t used', /busy/],
    [
      'removes no chain together with its last use',
      [busy],
      'delete element ip t fronts { 10.96.0.1 . tcp . 80 }\ndelete chain ip t used',
      /busy/,
    ],
    [
      'removes a chain after its last use',
      [busy, 'delete element ip t fronts { 10.96.0.1 . tcp . 80 }'],
      'delete chain ip t used',
      undefined,
    ],
    ['removes no set that a rule names', ['add rule ip t empty ip saddr @plain drop'], 'delete set ip t plain', /busy/],
    [
      'removes a set with the rules that name it',
      ['add rule ip t empty ip saddr @plain drop'],
      'flush chain ip t empty\ndelete set ip t plain',
      undefined,
    ],
    ['knows no missing set', [], 'add rule ip t empty ip saddr @nothing drop', /No such file/],
    ['knows no missing chain', [], 'add rule ip t empty goto nothing', /No such file/],
    [
      'knows no missing chain in an element',
      [],
      'add element ip t fronts { 10.96.0.1 . tcp . 80 : goto x }',
      /No such/,
    ],
    ['knows no missing table', [], 'add chain ip other x', /No such file/],
    ['refuses a set of another type', [], 'add set ip t plain { type ipv4_addr; flags interval; }', /File exists/],
    ['makes the table anew', [busy], `add table ip t\ndelete table ip t\n${BASE}`, undefined],
  ])('%s', (_, before, text, wanted) => {
    const filter = filled(...before);
    const outline = JSON.stringify(filter.outline('t'));
    const failure = filter.apply(text, MONO);
    if (wanted === undefined) expect(failure).toBeUndefined();
    else {
      expect(failure).toMatch(wanted);
      // Nothing of it was done.
      expect(JSON.stringify(filter.outline('t'))).toBe(outline);
    }
  });

  it('that fails at its end changes nothing', () => {
    const filter = filled();
    expect(filter.apply('add element ip t plain { 10.0.0.1 }\ndelete chain ip t nothing', MONO)).toMatch(/No such/);
    expect(filter.apply('delete element ip t plain { 10.0.0.1 }', MONO)).toMatch(/No such/);
  });

  it.each([
    'add rule ip t empty ip ttl 3 drop',
    'add rule ip t empty counter drop',
    'add rule ip t empty meta mark set 0x4000',
    'list table ip t',
    'flush ruleset',
    'add element ip t plain { 10.0.0.256 }',
    'add element ip t plain { 10.0.0.0/8 }',
    'add element ip t fronts { 10.96.0.1 . tcp : drop }',
    'add element ip t slot { 10.96.0.1 . tcp . 80 : 10.0.0.1 }',
    'table ip t { counter c { } }',
  ])('with an unknown word is an error of the test: %s', (text) => {
    expect(() => filled().apply(text, MONO)).toThrow(UnknownWord);
  });

  it('elements with a time-out end', () => {
    const filter = filled('add element ip t dead { 10.0.0.1 }');
    expect(filter.apply('add element ip t dead { 10.0.0.1 }', MONO + 899_000)).toBeUndefined();
    expect(filter.apply('delete element ip t dead { 10.0.0.1 }', MONO + 901_000)).toMatch(/No such file/);
  });
});

const packet: Packet = { from: '10.244.0.9', to: '10.96.0.1', protocol: 'tcp', port: 80, through: 'br0', mark: 0 };

function place(filter: PacketFilter, mono = MONO): Place {
  return { tables: [...filter.tables()], own: new Set(['192.168.0.1']), mono };
}

/** "sent 10.0.0.1:80 hidden" */
function fates(filter: PacketFilter, change: Partial<Packet> = {}, mono = MONO): readonly string[] {
  return followPacket({ ...packet, ...change }, place(filter, mono))
    .map(({ fate, to, isHidden }) => `${fate} ${to}${isHidden ? ' hidden' : ''}`)
    .toSorted();
}

const rules = (hook: string, ...lines: readonly string[]) =>
  filled(`table ip t {\nchain c { type ${hook};\n${lines.join('\n')}\n}\n}`);
const PRE = 'nat hook prerouting priority -100';

describe('a packet', () => {
  it.each<[string, string, readonly string[], Partial<Packet>, readonly string[]]>([
    ['passes an empty chain', PRE, ['ip saddr @plain drop'], {}, ['untouched 10.96.0.1:80']],
    ['is sent', PRE, ['meta l4proto tcp dnat ip to 10.244.0.2:8080'], {}, ['sent 10.244.0.2:8080']],
    [
      'of another protocol',
      PRE,
      ['meta l4proto tcp dnat ip to 10.0.0.2:8080'],
      { protocol: 'udp' },
      ['untouched 10.96.0.1:80'],
    ],
    ['comes from a network', PRE, ['ip saddr @pods drop'], {}, ['dropped 10.96.0.1:80']],
    ['comes from elsewhere', PRE, ['ip saddr != @pods drop'], { from: '192.0.2.1' }, ['dropped 10.96.0.1:80']],
    [
      'to this machine',
      PRE,
      ['fib daddr type local ip daddr != 127.0.0.0/8 drop'],
      { to: '192.168.0.1' },
      ['dropped 192.168.0.1:80'],
    ],
    [
      'to loopback',
      PRE,
      ['fib daddr type local ip daddr != 127.0.0.0/8 drop'],
      { to: '127.0.0.1' },
      ['untouched 127.0.0.1:80'],
    ],
    ['of an interface', PRE, ['iifname "br*" iifname != "br0" drop'], { through: 'br1' }, ['dropped 10.96.0.1:80']],
    ['of our own interface', PRE, ['iifname "br*" iifname != "br0" drop'], {}, ['untouched 10.96.0.1:80']],
    [
      'of two ways',
      PRE,
      ['numgen random mod 2 0 drop', 'reject'],
      {},
      ['dropped 10.96.0.1:80', 'refused 10.96.0.1:80'],
    ],
    [
      'of three ways',
      PRE,
      ['numgen random mod 3 vmap { 0 : drop, 1 : return, 2 : goto empty }'],
      {},
      ['dropped 10.96.0.1:80', 'untouched 10.96.0.1:80'],
    ],
    [
      'of no hook here',
      'filter hook forward priority 0',
      ['drop'],
      { to: '192.168.0.1' },
      ['untouched 192.168.0.1:80'],
    ],
    ['on its way elsewhere', 'filter hook forward priority 0', ['drop'], {}, ['dropped 10.96.0.1:80']],
    [
      'sent by the machine',
      'nat hook output priority -100',
      ['reject'],
      { through: undefined },
      ['refused 10.96.0.1:80'],
    ],
    ['of a known connection', PRE, ['drop'], { answeredBy: '10.0.0.2' }, ['untouched 10.96.0.1:80']],
    [
      'of a connection to the dead',
      'filter hook prerouting priority -150',
      ['meta l4proto tcp ct direction original ct reply ip saddr @pods reject with tcp reset'],
      { answeredBy: '10.244.0.2' },
      ['refused 10.96.0.1:80'],
    ],
  ])('%s', (_, hook, lines, change, wanted) => {
    expect(fates(rules(hook, ...lines), change)).toEqual(wanted);
  });

  it('goes on behind a jump, and leaves both chains with a goto', () => {
    const chains =
      'chain inner { goto empty\ndrop }\nchain c { type nat hook prerouting priority -100;\njump inner\nreject }';
    expect(fates(filled(`table ip t {\n${chains}\n}`))).toEqual(['refused 10.96.0.1:80']);
    const leaves = 'chain c { type nat hook prerouting priority -100;\ngoto empty\nreject }';
    expect(fates(filled(`table ip t {\n${leaves}\n}`))).toEqual(['untouched 10.96.0.1:80']);
  });

  it('comes to hooks by their priority, and is hidden by its mark', () => {
    const filter = filled(`table ip t {
chain late { type nat hook prerouting priority -90; drop; }
chain early { type nat hook prerouting priority -100; meta mark set meta mark or 0x4000 meta l4proto { tcp, udp } dnat ip to ip daddr . meta l4proto . th dport map @slot; }
chain after { type nat hook postrouting priority 100;
meta mark and 0x4000 != 0 meta mark set meta mark and 0xffffbfff masquerade fully-random
ct status dnat ip saddr . ip daddr @selves masquerade fully-random
}
set selves { type ipv4_addr . ipv4_addr; }
}`);
    expect(fates(filter)).toEqual(['dropped 10.96.0.1:80']);
    filter.apply('flush chain ip t late\nadd element ip t slot { 10.96.0.1 . tcp . 80 : 10.244.0.2 . 8080 }', MONO);
    expect(fates(filter)).toEqual(['sent 10.244.0.2:8080 hidden']);
    expect(fates(filter, { port: 81 })).toEqual(['untouched 10.96.0.1:81 hidden']);
  });

  it('keeps to the target that a set holds it at, for a while', () => {
    const filter = rules(
      PRE,
      'ip saddr @held meta l4proto tcp dnat ip to 10.244.0.2:80',
      'numgen random mod 2 0 update @held { ip saddr } meta l4proto tcp dnat ip to 10.244.0.2:80',
      'meta l4proto tcp dnat ip to 10.244.0.3:80',
    );
    expect(fates(filter)).toEqual(['sent 10.244.0.2:80', 'sent 10.244.0.3:80']);
    const [first] = followPacket(packet, place(filter)).filter(({ held }) => held.length > 0);
    expect(first).toEqual({ fate: 'sent', to: '10.244.0.2:80', isHidden: false, held: ['held 10.244.0.9'] });
    filter.hold('t', 'held', '10.244.0.9', MONO);
    expect(fates(filter)).toEqual(['sent 10.244.0.2:80']);
    expect(fates(filter, {}, MONO + 60_001)).toHaveLength(2);
  });
});

it('tells who watches of tables that are gone, and shows an outline', () => {
  const filter = filled('add rule ip t empty ip saddr @plain drop');
  const lines: string[] = [];
  filter.onDestroy((line) => lines.push(line));
  expect(filter.outline('t')).toContain('\t\tip saddr @plain drop');
  filter.flush();
  expect(lines).toEqual(['delete table ip t']);
  expect(filter.outline('t')).toBeUndefined();
});
