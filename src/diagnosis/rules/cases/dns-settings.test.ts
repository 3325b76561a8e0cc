/** Tests what is told of names of Services that a pod does not find because of its own DNS settings. */
import { describe, expect, it } from 'vitest';
import { diagnosePod } from '../../diagnose-pod.ts';
import { crashed, evidence, lastWords, pod } from '../../evidence.fixtures.ts';
import type { PodEvidence, ServiceEvidence } from '../../evidence/pod-evidence.ts';
import { namedServicesOf } from '../../wanted.ts';
import { tellsEach } from './cases.fixtures.ts';

const service = (namespace: string, name: string, address: string): ServiceEvidence => ({
  namespace,
  name,
  missing: false,
  clusterIPs: [address],
  ports: [53],
  ready: 1,
  notReady: 0,
});
const CACHE = service('shop', 'cache', '10.96.232.52');
const DNS = service('kube-system', 'kube-dns', '10.96.0.10');
const ended = (dnsConfig: object, host: string, ...services: readonly ServiceEvidence[]) =>
  ({
    pod: pod({ spec: { dnsPolicy: 'None', dnsConfig }, status: crashed({ exitCode: 1 }) }),
    logs: lastWords(`Error: getaddrinfo ENOTFOUND ${host}`),
    services,
  }) satisfies Partial<PodEvidence>;

describe('the name of a service, on the network of the node', () => {
  tellsEach([
    [
      'in the words of mosquitto',
      {
        pod: pod({ spec: { hostNetwork: true, dnsPolicy: 'ClusterFirst' }, status: crashed({ exitCode: 1 }) }),
        logs: lastWords('Unable to connect (Lookup error.). (cache:1883)'),
        services: [{ ...CACHE, ports: [1883] }, DNS],
      },
      'dependency-not-resolved',
      /does not find cache .*(?:hostNetwork|host network).*ClusterFirstWithHostNet/s,
    ],
  ]);
});

describe('the name of a service, with dnsPolicy None', () => {
  tellsEach([
    [
      'without the search domain of its namespace',
      ended({ nameservers: ['10.96.0.10'] }, 'cache', CACHE, DNS),
      'dependency-not-resolved',
      /: service cache is there, but its pod has dnsPolicy None, and no search domain shop\.svc\.cluster\.local in its dnsConfig: it finds it as cache\.shop\.svc\.cluster\.local only$/,
      [/spec\.dnsConfig: nameservers 10\.96\.0\.10, no searches/],
    ],
    [
      'with the search domain of another namespace',
      ended(
        { nameservers: ['10.96.0.10'], searches: ['staging.svc.cluster.local', 'svc.cluster.local'] },
        'cache',
        CACHE,
        DNS,
      ),
      'dependency-not-resolved',
      /no search domain shop\.svc\.cluster\.local in its dnsConfig \(it has staging\.svc\.cluster\.local and svc\.cluster\.local\)/,
    ],
    [
      'with a name server elsewhere',
      ended({ nameservers: ['8.8.8.8'], searches: ['shop.svc.cluster.local'] }, 'cache', CACHE, DNS),
      'dependency-not-resolved',
      /: service cache is there, but its pod has dnsPolicy None, and asks 8\.8\.8\.8 instead of the cluster's DNS \(10\.96\.0\.10\)$/,
    ],
    [
      'with a name server of which nothing is known',
      ended({ nameservers: ['10.96.0.10'] }, 'cache', CACHE),
      'dependency-not-resolved',
      /but its pod has DNS settings of its own \(dnsPolicy None, nameservers 10\.96\.0\.10\), and no search domain shop\.svc\.cluster\.local in them$/,
    ],
    [
      'with all that it needs, as far as that is known',
      ended({ nameservers: ['10.9.9.9'], searches: ['shop.svc.cluster.local'] }, 'cache', CACHE),
      'dependency-not-resolved',
      /but its pod has DNS settings of its own \(dnsPolicy None, nameservers 10\.9\.9\.9\)$/,
    ],
    [
      'with a name of a namespace, and no search domain for it',
      ended({ nameservers: ['10.96.0.10'], searches: ['shop.svc.cluster.local'] }, 'cache.shop', CACHE, DNS),
      'dependency-not-resolved',
      /no search domain svc\.cluster\.local in its dnsConfig/,
    ],
    [
      'with settings that are right',
      ended({ nameservers: ['10.96.0.10'], searches: ['shop.svc.cluster.local'] }, 'cache', CACHE, DNS),
      'dependency-not-resolved',
      /: service cache is there, but no DNS server told its name$/,
    ],
  ]);

  it('asks for the address of the cluster’s DNS', () => {
    const given = ended({ nameservers: ['10.96.0.10'] }, 'cache');
    expect(namedServicesOf(evidence(given))).toContainEqual({ namespace: 'kube-system', name: 'kube-dns' });
    const plain = { pod: pod({ status: crashed({ exitCode: 1 }) }), logs: given.logs };
    expect(namedServicesOf(evidence(plain))).toEqual([{ namespace: 'shop', name: 'cache' }]);
    const [first] = diagnosePod(evidence({ ...plain, services: [CACHE] })).findings;
    expect(first?.says).not.toContain('dnsPolicy');
  });
});
