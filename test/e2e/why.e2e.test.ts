/** Tests `mendlet why` on real pods that each fail in a different way, and on healthy pods. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { busyboxPod, type CommandResult, mainContainer, Mendlet, root, run, until } from './harness.ts';
import { inShort, itInWhole } from './extent.ts';
import { failingPods, type Registries } from './why/failing-pods.ts';
import { failingWorkloads, healthyObjects, healthyTargets, lastErrorsOfHealthy } from './why/failing-workloads.ts';

interface Diagnosis {
  readonly kind: string;
  readonly state: string;
  readonly subject: { readonly kind: string; readonly name: string };
  readonly findings: readonly {
    readonly id: string;
    readonly severity: string;
    readonly says: string;
    readonly evidence: readonly object[];
    readonly try: readonly string[];
    readonly manifest?: string;
  }[];
  readonly notLookedAt: readonly string[];
}

const NETWORK = 179;
const registries: Registries = {
  open: '127.0.0.1:5861',
  locked: '127.0.0.1:5862',
  // The node can reach this address, and containerd requires TLS for it, because it is not loopback.
  plain: `10.${NETWORK}.0.1:5861`,
};
/** Pods that later tests ask about again. */
const ASKED_AGAIN = ['no-key', 'no-secret', 'probe-early', 'healing-stopped'];
const allPods = failingPods(registries);
const pods = inShort(
  allPods.filter(({ name }, place) => place % 8 === 0 || ASKED_AGAIN.includes(name)),
  allPods,
);

describe('why', () => {
  const mendlet = new Mendlet({ podNetwork: NETWORK });
  const servers: ChildProcess[] = [];

  const startRegistry = (port: number, host: string, auth = ''): void => {
    const folder = join(mendlet.folder, `registry-${port}`);
    mkdirSync(folder, { recursive: true });
    const config = join(folder, 'config.yml');
    writeFileSync(
      config,
      `version: 0.1\nlog:\n  level: error\nstorage:\n  filesystem:\n    rootdirectory: ${folder}/data\nhttp:\n  addr: ${host}:${port}\n${auth}`,
    );
    servers.push(spawn('docker-registry', ['serve', config], { stdio: 'ignore' }));
  };

  const why = (args: readonly string[], kubeconfig = mendlet.kubeconfig): Promise<CommandResult> =>
    run(process.execPath, [join(root, 'dist/mendlet.js'), 'why', ...args, '--kubeconfig', kubeconfig]);

  const diagnosis = async (args: readonly string[], kubeconfig?: string): Promise<Diagnosis> => {
    const result = await why([...args, '-o', 'json'], kubeconfig);
    if (result.code !== 0) throw new Error(`why ${args.join(' ')}: ${result.code}\n${result.stdout}${result.stderr}`);
    return JSON.parse(result.stdout) as Diagnosis;
  };

  interface Wanted {
    /** The beginning of the state. */
    readonly state?: string | undefined;
    readonly quotes?: readonly string[];
  }

  /** Waits until the finding comes first with all quotations, as failures take time on a node that is busy with all pods. */
  const untilFirst = (
    args: readonly string[],
    id: string,
    { state = '', quotes = [] }: Wanted = {},
  ): Promise<Diagnosis> =>
    until<Diagnosis>(`why ${args.join(' ')}: ${id}, quoting ${quotes.join(', ')}`, async () => {
      const { code, stdout, stderr } = await why([...args, '-o', 'json']);
      if (code === 0) {
        const answer = JSON.parse(stdout) as Diagnosis;
        const told = textOf(answer.findings);
        const isQuoted = quotes.every((quote) => told.includes(quote));
        if (answer.findings[0]?.id === id && answer.state.startsWith(state) && isQuoted) return { value: answer };
      }
      await sleep(2000);
      return { last: `${code}\n${stdout}${stderr}` };
    });

  beforeAll(async () => {
    const passwords = join(mendlet.folder, 'htpasswd');
    const hash = spawnSync('perl', ['-e', 'print crypt("open-sesame", \'$2y$05$abcdefghijklmnopqrstuu\')'], {
      encoding: 'utf8',
    }).stdout;
    writeFileSync(passwords, `ann:${hash}\n`);
    startRegistry(5861, '0.0.0.0');
    startRegistry(5862, '127.0.0.1', `auth:\n  htpasswd:\n    realm: test\n    path: ${passwords}\n`);
    await mendlet.up();
    const finalized = busyboxPod('held', 'exec sleep 36000', { metadata: { finalizers: ['example.com/keep'] } });
    await mendlet.create(finalized, ...healthyObjects, ...pods.flatMap(({ objects }) => objects));
    await mendlet.create(...failingWorkloads.flatMap(({ objects }) => objects));
    for (const name of ['held', 'well-restarted', 'well-ending']) {
      await mendlet.untilPod(name, 'running', (pod) => mainContainer(pod)?.state.running !== undefined);
    }
    await mendlet.kubectl(['delete', 'pod', 'held', 'well-ending', '--wait=false']);
    const restarted = await run(process.execPath, [
      join(root, 'dist/mendlet.js'),
      'restart',
      'pod/well-restarted',
      '--kubeconfig',
      mendlet.kubeconfig,
    ]);
    if (restarted.code !== 0) throw new Error(restarted.stderr);
  });
  afterAll(async () => {
    for (const server of servers) server.kill('SIGKILL');
    await mendlet.kubectl([
      'patch',
      'pod',
      'held',
      '--type=json',
      '-p',
      '[{"op":"remove","path":"/metadata/finalizers"}]',
    ]);
    await mendlet.down();
  });

  it.concurrent.each(pods)('$name: $finding', async ({ name, finding, state, quotes, tries }) => {
    const answer = await untilFirst([`pod/${name}`], finding, { state, quotes });
    const [first] = answer.findings;
    expect(answer).toMatchObject({ kind: 'Diagnosis', subject: { kind: 'pod', name } });
    const evidence = textOf(first?.evidence ?? []);
    for (const quote of quotes) expect(evidence).toContain(quote);
    expect(first?.try.length).toBeGreaterThan(0);
    if (tries !== undefined) expect(first?.try.join('\n')).toContain(tries);
  });

  it.concurrent.each(failingWorkloads)('$target: $finding', async ({ target, namespace, finding, also, quotes }) => {
    const args = namespace === undefined ? [target] : [target, '-n', namespace];
    const answer = await untilFirst(args, finding, { quotes });
    const told = textOf(answer.findings);
    for (const quote of quotes) expect(told).toContain(quote);
    if (also !== undefined) expect(answer.findings.map(({ id }) => id)).toContain(also);
  });

  it('a peer that only a Secret names, and a password that its server has otherwise: without quoting either', async () => {
    const secret = (name: string, stringData: object): object => ({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name },
      stringData,
    });
    const key = (variable: string, name: string, of: string): object => ({
      name: variable,
      valueFrom: { secretKeyRef: { name, key: of } },
    });
    const refused =
      'connection to server at "pw-db" (10.0.0.1), port 5432 failed: FATAL:  password authentication failed for user "app"';
    await mendlet.create(
      secret('ledger-url', { url: 'postgres://ann:S3CRET-one@ledger-db:5432/x' }),
      secret('pw-client', { password: 'S3CRET-two' }),
      secret('pw-server', { password: 'S3CRET-three' }),
      {
        apiVersion: 'v1',
        kind: 'Service',
        metadata: { name: 'pw-db' },
        spec: { selector: { app: 'pw-db' }, ports: [{ port: 5432 }] },
      },
      busyboxPod('pw-db', 'exec sleep 36000', {
        metadata: { labels: { app: 'pw-db' } },
        container: {
          env: [{ name: 'POSTGRES_USER', value: 'app' }, key('POSTGRES_PASSWORD', 'pw-server', 'password')],
        },
      }),
      busyboxPod('unnamed-peer', 'echo "FATAL cannot connect to the database: timeout expired"; exit 1', {
        container: { env: [key('DATABASE_URL', 'ledger-url', 'url')] },
      }),
      busyboxPod('other-password', `echo '${refused}'; sleep 2; exit 1`, {
        container: { env: [key('DB_PASSWORD', 'pw-client', 'password')] },
      }),
    );
    await untilFirst(['pod/unnamed-peer'], 'dependency-times-out', {
      quotes: ['there is no service ledger-db, which its variable DATABASE_URL of Secret ledger-url'],
    });
    await untilFirst(['pod/other-password'], 'authentication-refused', {
      quotes: ['pod/pw-db behind service pw-db has another one (variable POSTGRES_PASSWORD of Secret pw-server'],
    });
    for (const name of ['unnamed-peer', 'other-password']) {
      const told = `${(await why([`pod/${name}`])).stdout}${(await why([`pod/${name}`, '-o', 'json'])).stdout}`;
      for (const hidden of ['S3CRET', 'ann:', btoa('S3CRET').slice(0, 7)]) expect(told).not.toContain(hidden);
    }
  });

  it('a variable that its pod has as it was before its ConfigMap was written', async () => {
    const script = 'while true; do echo "ERROR lookup $DB_HOST on 10.0.0.10:53: no such host"; sleep 1; done';
    await mendlet.create(
      { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'hosts' }, data: { db: 'pg-old' } },
      busyboxPod('stale-host', script, {
        container: { env: [{ name: 'DB_HOST', valueFrom: { configMapKeyRef: { name: 'hosts', key: 'db' } } }] },
      }),
    );
    await until('the pod runs', async () => {
      const pod = await mendlet.read<Parameters<typeof mainContainer>[0]>('pod/stale-host');
      const last = mainContainer(pod)?.state;
      return last?.running === undefined ? { last: JSON.stringify(last) } : { value: true };
    });
    // Times count whole seconds.
    await sleep(1500);
    await mendlet.kubectl(['patch', 'configmap/hosts', '-p', '{"data":{"db":"postgres"}}']);
    await untilFirst(['pod/stale-host'], 'dependency-not-resolved', {
      quotes: ['ConfigMap hosts, of which it has variable DB_HOST, was written', 'and names postgres now'],
    });
  });

  it('a pod that its finalizer holds', async () => {
    const { findings } = await untilFirst(['pod/held'], 'finalizers');
    expect(textOf(findings)).toContain('example.com/keep');
  });

  it.concurrent.each(healthyTargets)('%s is well, and nothing is said to be wrong', async (target) => {
    const text = await why([target, '--exit-code']);
    expect(text, text.stdout).toMatchObject({ code: 0, stderr: '' });
    // What one logs while it goes on is quoted below, and is no finding.
    const [well, quoted = ''] = text.stdout.split(/(?<=\n)(?= {6}the last error)/);
    expect(quoted).toBe(lastErrorsOfHealthy[target] ?? '');
    // A pod that still starts is not as wanted, and nothing is wrong with it: a note says what it waits for.
    expect(well).toMatch(
      /^(nothing is wrong with [a-z]+\/well-?[a-z-]*: .+\n$|pod\/well-starting .+\n 1\. container main has not started up yet: [^\n]+ \(info\)\n)/,
    );
  });

  it('a pod that ends within its long grace: what happens next, and when', async () => {
    const { state, findings } = await diagnosis(['pod/well-ending']);
    expect(state).toMatch(/^Terminating, main still runs, and is killed in \d+m$/);
    for (const { id, severity } of findings) expect([id, severity]).toEqual(['slow-end', 'info']);
  });

  it('a pod whose ladder is at its end: first why, then that nothing is tried any more', async () => {
    const { findings } = await until<Diagnosis>('the end of the ladder', async () => {
      const answer = await diagnosis(['pod/healing-stopped']);
      return answer.findings.length > 1 ? { value: answer } : { last: JSON.stringify(answer) };
    });
    expect(findings.map(({ id }) => id)).toEqual(['exit-code', 'healing-stopped']);
    expect(findings[1]?.try).toContain('mendlet restart pod/healing-stopped --force');
  });

  it('node: what crashes there, and nothing of the node itself', async () => {
    const { state, findings, notLookedAt } = await diagnosis(['node/e2e']);
    expect(state).toMatch(/^Ready, \d+ pods \(\d+ have ended\)$/);
    expect(findings.length).toBeGreaterThan(0);
    for (const finding of findings) expect(finding.severity).not.toBe('critical');
    expect(findings[0]?.try[0]).toMatch(/^mendlet why pod\/\S+ -n \S+$/);
    expect(notLookedAt.join()).toMatch(/more pods, after the 20 that look worst/);
  });

  itInWhole(
    'a rollout that breaks a workload: why and history say what it changed, also when its pods are gone',
    async () => {
      const script = 'test $MODE = good || { echo "FATAL: no mode $MODE"; exit 3; }; exec sleep 36000';
      const template = (mode: string): object => {
        const { spec } = busyboxPod('rolled', script, { container: { env: [{ name: 'MODE', value: mode }] } }) as {
          spec: object;
        };
        return { metadata: { labels: { app: 'rolled' } }, spec };
      };
      const apply = async (mode: string): Promise<void> => {
        const spec = { replicas: 1, selector: { matchLabels: { app: 'rolled' } }, template: template(mode) };
        const object = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'rolled' }, spec };
        await mendlet.kubectl(['apply', '-f', '-'], JSON.stringify(object));
      };
      await apply('good');
      await mendlet.kubectl(['rollout', 'status', 'deploy/rolled', '--timeout=60s']);
      await apply('bad');
      const change = 'rollout to revision 2 of deployment/rolled: container main env MODE: good → bad';
      const { findings } = await untilFirst(['deploy/rolled'], 'exit-code', { quotes: [change] });
      expect(findings[0]?.says).toContain('FATAL: no mode bad');
      await mendlet.kubectl(['rollout', 'undo', 'deploy/rolled']);
      const history = (format: string): Promise<CommandResult> =>
        run(
          process.execPath,
          [join(root, 'dist/mendlet.js'), 'history', 'deploy/rolled', '-o', format].concat(
            '--kubeconfig',
            mendlet.kubeconfig,
          ),
        );
      const table = await until<string>('the pod of the rollout is gone', async () => {
        const { stdout, stderr } = await history('wide');
        return /rolled-\S+ \(gone\) .*FATAL: no mode bad/.test(stdout) ? { value: stdout } : { last: stdout + stderr };
      });
      expect(table.indexOf(change)).toBeLessThan(table.indexOf('FATAL'));
      const json = JSON.parse((await history('json')).stdout) as { kind: string; rollouts: { revision: number }[] };
      expect([json.kind, json.rollouts.map(({ revision }) => revision)]).toEqual(['WorkloadHistory', [2, 3]]);
    },
  );

  it('as text', async () => {
    const { stdout } = await why(['pod/no-key']);
    expect(stdout).toBe(
      [
        'pod/no-key (default, node e2e): CreateContainerConfigError, 0/1 ready',
        ' 1. container main cannot start: ConfigMap has-others has no key url; it has host and port',
        "      spec.containers[0]: state.waiting: CreateContainerConfigError: couldn't find key url in ConfigMap default/has-others",
        '      configmap/has-others: keys: host, port',
        '      spec.containers[0].env[0].valueFrom.configMapKeyRef.name: has-others',
        `    try: kubectl patch configmap has-others --type=merge -p '{"data":{"url":"VALUE"}}'`,
        '         kubectl get pod/no-key -o yaml > no-key.yaml && ${EDITOR:-vi} no-key.yaml && kubectl replace --force -f no-key.yaml',
        '',
      ].join('\n'),
    );
    const early = await why(['pod/probe-early', '--exit-code']);
    expect(early.code).toBe(1);
    expect(early.stdout).toMatch(
      /^pod\/probe-early \(default, node e2e\): (CrashLoopBackOff, next start (in \S+|at any moment)|(Running|Error), .*)$/m,
    );
    expect(early.stdout).toMatch(/^ {6}death \d+ of main, \S+ ago after \S+: exit 137 \(SIGKILL\), Error$/m);
    expect(early.stdout).toContain(
      '    with:\n      containers:\n      - name: main\n        startupProbe:\n          httpGet:\n            path: /\n            port: 8080\n',
    );
  });

  it('says what may not be read, and concludes nothing from it', async () => {
    await mendlet.kubectl(['create', 'serviceaccount', 'looker']);
    await mendlet.kubectl(['create', 'rolebinding', 'looker', '--clusterrole=view', '--serviceaccount=default:looker']);
    const token = (await mendlet.kubectl(['create', 'token', 'looker'])).trim();
    const kubeconfig = join(mendlet.folder, 'looker');
    writeFileSync(kubeconfig, readFileSync(mendlet.kubeconfig));
    for (const args of [
      ['set-credentials', 'looker', `--token=${token}`],
      ['set-context', '--current', '--user=looker'],
    ]) {
      await run(join(root, '.cache/debian/sid/kubectl/usr/bin/kubectl'), [
        '--kubeconfig',
        kubeconfig,
        'config',
        ...args,
      ]);
    }
    const { findings, notLookedAt } = await diagnosis(['pod/no-secret'], kubeconfig);
    expect(findings[0]?.id).toBe('missing-config');
    expect(textOf(findings[0]?.evidence ?? [])).toContain('may not be read');
    expect(notLookedAt).toContain('secret/absent-key: may not be read');
    expect(notLookedAt).toContain('node/e2e: may not be read');
  });

  it('refuses what it cannot be asked about', async () => {
    expect(await why(['configmap/db'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('is not a kind that can be explained'),
    });
    expect(await why(['pod/none'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('pods "none" not found'),
    });
  });
});

/** The value as text without escaped quotation marks. */
function textOf(value: unknown): string {
  return JSON.stringify(value).replaceAll(String.raw`\"`, '"');
}
