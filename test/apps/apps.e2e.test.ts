/**
 * `npm run e2e:apps`: PostgreSQL, Redis, nginx, MariaDB, Python, a JRE and Node.js in real pods. `mendlet why` must say nothing of
 * those that are well, and name the cause first of those that fail; what it must say is in trials.ts.
 */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Mendlet, root, run, until } from '../e2e/harness.ts';
import { appArchives } from './images.ts';
import { FAILING, WELL } from './trials.ts';

interface Diagnosis {
  readonly findings: readonly { readonly id: string; readonly severity: string; readonly says: string }[];
}

/** A start that failed once may have failed by chance. */
const DEATHS = 2;

describe('programs that people run', () => {
  const mendlet = new Mendlet({
    podNetwork: 239,
    flags: appArchives().flatMap((path) => ['--image-archive', path]),
  });

  const why = async (pod: string): Promise<Diagnosis> => {
    const program = join(root, 'dist/mendlet.js');
    const args = [program, 'why', `pod/${pod}`, '-o', 'json', '--kubeconfig', mendlet.kubeconfig];
    const { code, stdout, stderr } = await run(process.execPath, args);
    if (code !== 0) throw new Error(`why pod/${pod}: exit ${code}\n${stderr}`);
    return JSON.parse(stdout) as Diagnosis;
  };

  beforeAll(async () => {
    await mendlet.up();
    await mendlet.create(...[...WELL, ...FAILING].flatMap(({ objects }) => objects));
  });
  afterAll(() => mendlet.down());

  it.concurrent.each(WELL)('$name: nothing is wrong', async ({ name }) => {
    await mendlet.untilPod(name, 'ready', ({ status }) => status.containerStatuses?.[0]?.ready === true);
    // What it logs while it starts is no trouble, nor is it later.
    await sleep(3000);
    expect((await why(name)).findings).toEqual([]);
  });

  it.concurrent.each(FAILING)('$name: $must', async ({ name, ids, must }) => {
    await until<true>(`${name} dies`, async () => {
      const { status } = await mendlet.pod(name);
      const [container] = status.containerStatuses ?? [];
      return (container?.restartCount ?? 0) >= DEATHS ? { value: true } : { last: JSON.stringify(status) };
    });
    const { findings } = await why(name);
    const [first] = findings;
    expect(ids, first?.says).toContain(first?.id);
    for (const text of must) expect(first?.says).toContain(text);
  });
});
