import { describe, expect, it } from 'vitest';
import { diagnosePod } from '../../diagnose-pod.ts';
import { evidence, pod } from '../../evidence.fixtures.ts';
import { crash } from '../../rules/cases/cases.fixtures.ts';
import { namedServicesOf } from '../../wanted.ts';
import { serversWanted } from '../../servers-wanted.ts';

const LOG = [
  'storefront 4.12.0',
  'flags: refreshing from http://flags:8080/v1/flags?env=prod',
  'undefined:1',
  '<html>',
  '^',
  'SyntaxError: Unexpected token < in JSON at position 0',
  '    at JSON.parse (<anonymous>)',
];
const flags = (lines: readonly string[]) => ({
  namespace: 'shop',
  name: 'flags',
  missing: false,
  clusterIPs: ['10.96.0.9'],
  ports: [8080],
  ready: 1,
  notReady: 0,
  selector: { app: 'flags' },
  server: { pod: pod({ name: 'flags-1' }), owner: 'deployment/flags', lines },
});
const said = (log: readonly string[], lines: readonly string[]): string =>
  diagnosePod(evidence({ ...crash(1, ...log), services: [flags(lines)] })).findings[0]?.says ?? '';

describe('an answer that its reader cannot read', () => {
  it('is told with the address that was asked, and with what that logs of it', () => {
    expect(said(LOG, ['10.4.0.3 - - [x] "GET /v1/flags HTTP/1.1" 404 153 "-" "undici"'])).toMatch(
      /Unexpected token < in JSON at position 0; it is what http:\/\/flags:8080\/v1\/flags answers: deployment\/flags behind service flags answers \/v1\/flags with 404$/,
    );
    expect(said(LOG, [])).toMatch(/; it is what http:\/\/flags:8080\/v1\/flags answers$/);
  });

  it('asks for the log of that server', () => {
    const { server: _, ...service } = flags([]);
    const given = evidence({ ...crash(1, ...LOG), services: [service] });
    expect(namedServicesOf(given)).toEqual([{ namespace: 'shop', name: 'flags' }]);
    expect(serversWanted(given)).toMatchObject([{ lines: true, service: { name: 'flags' } }]);
  });

  it.each<[what: string, lines: readonly string[]]>([
    ['a file that is damaged', ['reading /data/a.json', 'SyntaxError: Unexpected token } in JSON at position 812']],
    ['no address', ['SyntaxError: Unexpected token < in JSON at position 0']],
  ])('is not told of %s', (_what, lines) => {
    expect(said(lines, [])).not.toContain('it is what');
  });
});
