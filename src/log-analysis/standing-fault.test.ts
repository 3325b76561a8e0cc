import { describe, expect, it } from 'vitest';
import { standingFault } from './standing-fault.ts';

const DOWN = [
  '[WARNING]  (7) : Server catalog/cat1 is DOWN, reason: Layer7 wrong status, code: 404, info: "Not Found", check duration: 2ms. 0 active and 0 backup servers left.',
  "[ALERT]    (7) : backend 'catalog' has no server available!",
];
const ZONE = [
  '28-Nov-2026 15:05:23.401 dns_master_load: /zones/db.corp.internal:11: mail.corp.internal: CNAME and other data',
  '28-Nov-2026 15:05:23.401 zone corp.internal/IN: loading from master file /zones/db.corp.internal failed: CNAME and other data',
  '28-Nov-2026 15:05:23.401 zone corp.internal/IN: not loaded due to errors.',
];
const NOISE = Array.from(
  { length: 60 },
  () => "28-Nov-2026 15:05:23.456 network unreachable resolving './NS/IN': 2001:7fe::53#53",
);

describe('a part of its work that a server does not do', () => {
  it.each<[what: string, lines: readonly string[], says: RegExp]>([
    [
      'a backend without a server',
      DOWN,
      /catalog\/cat1 is DOWN, reason: .*code: 404.*\(backend 'catalog' has no server available/,
    ],
    [
      'a zone, above much else',
      [...ZONE, ...NOISE],
      /db\.corp\.internal:11: mail\.corp\.internal: CNAME and other data \(zone corp\.internal\/IN: not loaded/,
    ],
    [
      'what a broker takes no more',
      [
        '2026-11-28 15:06:58.1+00:00 [info] <0.3.0> Free disk space is insufficient. Free bytes: 70GB. Limit: 900GB',
        '2026-11-28 15:06:58.2+00:00 [warning] <0.4.0> disk resource limit alarm set on node rabbit@localhost.',
      ],
      /Free disk space is insufficient.*\(disk resource limit alarm set/,
    ],
    [
      'a reload',
      ['ready', 'ERROR failed to reload configuration: line 4: unknown key "prot"', 'GET / 200'],
      /unknown key/,
    ],
  ])('%s', (_what, lines, says) => {
    const found = standingFault(lines);
    expect(found?.said.line).toMatch(says);
    expect(found?.isStanding).toBe(true);
  });

  it.each<[what: string, lines: readonly string[]]>([
    ['nothing', ['ready', 'GET / 200']],
    ['a backend that has come up', [...DOWN, '[NOTICE] (7) : Server catalog/cat1 is UP, reason: Layer4 check passed']],
    ['a zone that was mended', [...ZONE, '28-Nov-2026 15:09:00.000 zone corp.internal/IN: loaded serial 2']],
    [
      'an alarm that is over',
      [
        'disk resource limit alarm set on node rabbit@localhost',
        'disk resource limit alarm cleared on node rabbit@localhost',
      ],
    ],
  ])('is not told of %s', (_what, lines) => {
    expect(standingFault(lines)).toBeUndefined();
  });
});
