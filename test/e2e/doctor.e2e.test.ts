/** Tests `mendlet doctor` on real pods: on a way that is whole, and on ways that are broken at each of their steps. */
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { busyboxPod, type CommandResult, mainContainer, Mendlet, root, run, until } from './harness.ts';

interface Step {
  readonly stage: string;
  readonly result: string;
  readonly says: string;
  readonly help?: string;
}

interface Told {
  readonly well: boolean;
  readonly nodes: readonly {
    readonly node: string;
    readonly path: { readonly pod?: { readonly namespace: string; readonly name: string }; readonly steps: Step[] };
  }[];
}

const NETWORK = 219;
const GATEWAY = `10.${NETWORK}.0.1`;

describe('doctor', () => {
  const mendlet = new Mendlet({ podNetwork: NETWORK, flags: ['--service-cidr', '10.93.0.0/16'] });

  const doctor = (...args: readonly string[]): Promise<CommandResult> =>
    run(process.execPath, [join(root, 'dist/mendlet.js'), 'doctor', ...args, '--kubeconfig', mendlet.kubeconfig]);

  const told = async (...args: readonly string[]): Promise<Told & { readonly code: number }> => {
    const { code, stdout, stderr } = await doctor(...args, '-o', 'json');
    if (stdout === '') throw new Error(`doctor: ${code} ${stderr}`);
    return { code, ...(JSON.parse(stdout) as Told) };
  };
  const stepsOf = ({ nodes }: Told): readonly Step[] => nodes[0]?.path.steps ?? [];
  const firstBroken = (all: Told): Step | undefined => stepsOf(all).find(({ result }) => result === 'broken');

  /** Until the node knows as much as the test. */
  const untilTold = (what: string, args: readonly string[], wanted: (all: Told) => boolean) =>
    until<Told & { readonly code: number }>(what, async () => {
      const all = await told(...args);
      return wanted(all) ? { value: all } : { last: JSON.stringify(all) };
    });

  const service = (name: string, port: object): object => ({
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name },
    spec: { selector: { app: 'web' }, ports: [{ port: 80, ...port }] },
  });

  beforeAll(() => mendlet.up());
  afterAll(() => mendlet.down());

  it('tries the way from the node alone where no pod runs, and says so', async () => {
    const all = await untilTold('a whole way', [], ({ well }) => well);
    expect(all.code).toBe(0);
    const pod = stepsOf(all).find(({ stage }) => stage === 'pod');
    expect(pod).toMatchObject({ result: 'skipped', says: expect.stringContaining('tried from the node alone') });
    expect(stepsOf(all).find(({ stage }) => stage === 'DNS')).toMatchObject({
      result: 'ok',
      says: `${GATEWAY} answers 10.93.0.1 for kubernetes.default.svc.cluster.local`,
    });
  });

  it('knows that the node answers for kube-dns itself', async () => {
    const all = await untilTold('a whole way', ['svc/kube-dns', '-n', 'kube-system'], ({ well }) => well);
    expect(stepsOf(all).find(({ stage }) => stage === 'connection')).toMatchObject({
      result: 'ok',
      says: 'TCP 10.93.0.10:53: answered',
    });
  });

  describe('with pods', () => {
    beforeAll(async () => {
      const web = 'mkdir -p /www; echo web > /www/index.html; exec httpd -f -p 8080 -h /www';
      await mendlet.create(
        busyboxPod('web', web, { metadata: { labels: { app: 'web' } } }),
        busyboxPod('client', 'sleep 100000'),
        service('web', { targetPort: 8080 }),
        service('deaf', { targetPort: 9999 }),
        service('talk', { targetPort: 8080, protocol: 'UDP', port: 5353 }),
        { ...service('lonely', {}), spec: { selector: { app: 'nobody' }, ports: [{ port: 80 }] } },
      );
      for (const name of ['web', 'client'])
        await mendlet.untilPod(name, 'runs', (pod) => mainContainer(pod)?.ready === true);
    });

    it('follows it from a pod beside the service, name and address', async () => {
      const all = await untilTold('a whole way', ['svc/web'], ({ well }) => well);
      expect(all.code).toBe(0);
      expect(all.nodes[0]?.path.pod).toEqual({ namespace: 'default', name: 'client' });
      expect(stepsOf(all).map(({ stage, result }) => `${stage} ${result}`)).toEqual([
        'service ok',
        'routing ok',
        'DNS ok',
        'pod ok',
        'lookup ok',
        'connection ok',
      ]);
      const { code, stdout } = await doctor('svc/web', '--node', 'e2e');
      expect(code).toBe(0);
      expect(stdout).toMatch(
        /✓ lookup {6}10\.219\.0\.1 answers 10\.93\.\d+\.\d+ for web\.default\.svc\.cluster\.local/,
      );
      expect(stdout).toContain('svc/web (default): the way is whole from e2e');
    });

    it('says that no endpoint serves', async () => {
      const all = await untilTold('the service', ['svc/lonely'], (each) => firstBroken(each) !== undefined);
      expect(all.code).toBe(1);
      expect(firstBroken(all)).toMatchObject({
        stage: 'service',
        says: expect.stringContaining('no endpoint serves TCP 80'),
        help: 'mendlet why svc/lonely -n default',
      });
      expect(stepsOf(all).some(({ stage }) => stage === 'connection')).toBe(false);
    });

    it('tells a port at which nobody listens apart from routing', async () => {
      const all = await untilTold('a refusal', ['svc/deaf'], (each) => firstBroken(each)?.stage === 'connection');
      expect(all.code).toBe(1);
      expect(stepsOf(all).slice(-2)).toMatchObject([
        { stage: 'connection', result: 'broken', says: expect.stringMatching(/^TCP 10\.93\.\d+\.\d+:80: refused$/) },
        { stage: 'endpoint', result: 'broken', says: expect.stringMatching(/:9999, an endpoint of it: refused$/) },
      ]);
      const { code, stdout } = await doctor('svc/deaf');
      expect(code).toBe(1);
      expect(stdout).toContain(
        'try: the endpoint fails as well, so it is not routing: mendlet why svc/deaf -n default',
      );
      expect(stdout).toContain('svc/deaf (default): the way is broken from e2e (connection)');
    });

    it('tells packets that are lost on the way apart from an endpoint that fails', async () => {
      const made = await mendlet.read<{ readonly spec: { readonly clusterIP: string } }>('services/web');
      // A firewall of somebody else, which looks before we translate.
      const hook = 'add chain ip doctor-e2e drops { type filter hook prerouting priority -300; }';
      const rule = `add rule ip doctor-e2e drops ip daddr ${made.spec.clusterIP} drop`;
      const nft = (text: string) => run('nft', ['-f', '-'], { input: `${text}\n` });
      expect(await nft(`add table ip doctor-e2e\n${hook}\n${rule}`)).toMatchObject({ code: 0 });
      try {
        const endpoint = (each: Told) => stepsOf(each).find(({ stage }) => stage === 'endpoint');
        // A busy machine may take longer than the two seconds that the endpoint has.
        const all = await untilTold('the endpoint', ['svc/web'], (each) => endpoint(each)?.result === 'ok');
        expect(all.code).toBe(1);
        expect(stepsOf(all).slice(-2)).toMatchObject([
          { stage: 'connection', result: 'broken', says: `TCP ${made.spec.clusterIP}:80: no answer within 2 s` },
          { stage: 'endpoint', result: 'ok', says: expect.stringMatching(/:8080, an endpoint of it: answered$/) },
        ]);
        expect(firstBroken(all)?.help).toContain('routing or a firewall');
      } finally {
        await nft('delete table ip doctor-e2e');
      }
    });

    it('says what it cannot try', async () => {
      const all = await untilTold('a whole way', ['svc/talk'], ({ well }) => well);
      expect(stepsOf(all).at(-1)).toMatchObject({
        result: 'skipped',
        says: 'UDP 5353 cannot be tried without knowing its protocol',
      });
    });

    it('says that there is no such service', async () => {
      expect(firstBroken(await told('svc/nothing'))).toMatchObject({ says: 'there is no service default/nothing' });
      expect((await doctor('pod/web')).code).toBe(2);
      expect((await doctor('svc/web', '--node', 'nobody')).stderr).toContain('nobody');
    });

    it('sees the name server that a pod has', async () => {
      const { podIP } = (await mendlet.pod('client')).status;
      const namespace = 'odd';
      await mendlet.create(
        { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } },
        { ...service('web', {}), metadata: { name: 'web', namespace } },
        busyboxPod('asker', 'sleep 100000', {
          metadata: { namespace, labels: { app: 'web' } },
          // Nobody answers DNS there.
          spec: { dnsPolicy: 'None', dnsConfig: { nameservers: [podIP] } },
        }),
      );
      const lookup = (each: Told) => stepsOf(each).find(({ stage }) => stage === 'lookup');
      // Until it runs, another pod is asked.
      const isAsked = (each: Told): boolean => each.nodes[0]?.path.pod?.name === 'asker' && lookup(each) !== undefined;
      const all = await untilTold('the pod', ['svc/web', '-n', namespace], isAsked);
      expect(all.nodes[0]?.path.pod).toEqual({ namespace, name: 'asker' });
      expect(lookup(all)).toMatchObject({
        result: 'broken',
        says: expect.stringMatching(/(gave no answer within 2 s|refuses: nothing answers DNS there) for web\.odd\.svc/),
        help: expect.stringContaining('dnsPolicy None'),
      });
      // The node's own DNS is well.
      expect(stepsOf(all).find(({ stage }) => stage === 'DNS')).toMatchObject({ result: 'ok' });
    });
  });
});
