import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemFileSystem } from '../../lib/file-system.node.ts';
import { silentLogger } from '../../lib/index.ts';
import { createManualClock, settle } from '../../lib/manual-clock.node.ts';
import { DesiredPods } from './desired-pods.ts';
import { FileSource } from './file-source.ts';

let folder = '';
beforeEach(async () => {
  folder = join(await mkdtemp(join(tmpdir(), 'static-')), 'manifests');
});
afterEach(async () => {
  await rm(join(folder, '..'), { recursive: true });
});

const manifest = (name: string, image = 'i'): string =>
  JSON.stringify({ apiVersion: 'v1', kind: 'Pod', metadata: { name }, spec: { containers: [{ name: 'c', image }] } });

function start() {
  const clock = createManualClock();
  const told: string[] = [];
  const desired = new DesiredPods(() => {});
  const source = new FileSource({
    clock,
    logger: silentLogger,
    // Changes are found by looking, so that the test says when.
    fs: { ...systemFileSystem, watch: () => ({ close: () => {} }) },
    events: { pod: () => {}, node: (_, reason, message) => void told.push(`${reason}: ${message}`) },
    nodeName: 'n',
    desired,
    path: folder,
    fileCheckFrequencyMs: 20_000,
  });
  const end = new AbortController();
  void source.run(end.signal);
  const look = async (): Promise<void> => {
    await clock.advance(20_000);
    for (let turn = 0; turn < 100; turn++) {
      await settle();
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
  };
  const wanted = () =>
    desired
      .all()
      .filter((each) => each.wanted)
      .map(({ pod }) => `${pod.metadata?.name} ${pod.spec?.containers[0]?.image}`);
  return { desired, look, told, wanted, end };
}

describe('FileSource', () => {
  it('takes pods from a folder that comes, changes and goes', async () => {
    const { desired, look, wanted, end } = start();
    await look();
    expect([desired.synced(), wanted()]).toEqual([true, []]);
    await mkdir(folder);
    await writeFile(join(folder, 'a.yaml'), manifest('a'));
    await writeFile(join(folder, '.hidden.yaml'), manifest('hidden'));
    await look();
    expect(wanted()).toEqual(['a-n i']);
    await writeFile(join(folder, 'a.yaml'), manifest('a', 'other'));
    await look();
    expect(wanted()).toEqual(['a-n other']);
    await rm(folder, { recursive: true });
    await look();
    expect(wanted()).toEqual([]);
    end.abort();
  });

  it('lets what ran go on when its file makes no sense any more, and says so once', async () => {
    const { look, wanted, told, end } = start();
    await mkdir(folder);
    await writeFile(join(folder, 'a.yaml'), manifest('a'));
    await look();
    await writeFile(join(folder, 'a.yaml'), 'apiVersion: v1\nkind: [');
    await look();
    await look();
    expect(wanted()).toEqual(['a-n i']);
    expect(told).toHaveLength(1);
    expect(told[0]).toContain('a.yaml: line 2');
    expect(told[0]).toContain('what ran from it goes on');
    end.abort();
  });

  it('lets the first of two files with one name count', async () => {
    const { look, wanted, end } = start();
    await mkdir(folder);
    await writeFile(join(folder, 'a.yaml'), manifest('same', 'first'));
    await writeFile(join(folder, 'b.yaml'), manifest('same', 'second'));
    await look();
    expect(wanted()).toEqual(['same-n first']);
    end.abort();
  });
});
