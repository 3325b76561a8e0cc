import { describe, expect, it } from 'vitest';
import { diagnosePod } from '../../diagnose-pod.ts';
import { evidence } from '../../evidence.fixtures.ts';
import { endedWith } from '../../rules/cases/cases.fixtures.ts';

const tax = {
  namespace: 'shop',
  name: 'tax',
  missing: false,
  clusterIPs: ['10.96.0.9'],
  ports: [8080],
  ready: 1,
  notReady: 0,
  selector: { app: 'tax' },
};
const said = (line: string, ...env: readonly { name: string; value: string }[]): string =>
  diagnosePod(evidence({ ...endedWith({ container: { env: [...env] } }, [line]), services: [tax] })).findings[0]
    ?.says ?? '';
const PROXY = { name: 'HTTP_PROXY', value: 'http://squid:3128' };
const LINE = 'requests.exceptions.HTTPError: 403 Client Error: Forbidden for url: http://tax:8080/healthz';

describe('a proxy between', () => {
  it('is told where nothing excepts the service', () => {
    expect(said(LINE, PROXY)).toMatch(
      /; it asks tax through squid:3128, by its variable HTTP_PROXY, as no NO_PROXY excepts tax$/,
    );
    expect(said(LINE, PROXY, { name: 'NO_PROXY', value: 'localhost,.example' })).toContain('through squid');
  });

  it.each<[what: string, line: string, env: readonly { name: string; value: string }[]]>([
    ['a host that is excepted', LINE, [PROXY, { name: 'no_proxy', value: 'localhost,tax' }]],
    ['all hosts that are excepted', LINE, [PROXY, { name: 'NO_PROXY', value: '*' }]],
    ['the proxy of another scheme', LINE, [{ name: 'HTTPS_PROXY', value: 'http://squid:3128' }]],
    ['a host of elsewhere', LINE.replace('tax:8080', 'api.example'), [PROXY]],
  ])('is not told of %s', (_what, line, env) => {
    expect(said(line, ...env)).not.toContain('through squid');
  });

  it('has no part in the name of an address', () => {
    const line = 'ERROR rpc failed: grpc_status 12 from ipv4:10.96.0.9:8080: UNIMPLEMENTED';
    expect(said(line)).toMatch(/; 10\.96\.0\.9 is service tax$/);
    expect(said('ERROR rpc failed: UNIMPLEMENTED from 10.96.0.91:8080')).not.toContain('is service tax');
  });
});
