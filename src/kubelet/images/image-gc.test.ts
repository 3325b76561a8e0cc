import { describe, expect, it } from 'vitest';
import type { Container, Image } from '../../cri/index.ts';
import { createMetrics, silentLogger } from '../../lib/index.ts';
import { createManualClock, settle } from '../../lib/manual-clock.node.ts';
import type { MachinePressure } from '../figures.ts';
import { DEFAULT_SETTINGS } from '../settings.ts';
import { ImageGc, type ImageGcParts } from './image-gc.ts';

const MINUTE_MS = 60_000;

interface Change extends Partial<ImageGcParts> {
  readonly settings?: typeof DEFAULT_SETTINGS.imageGc;
}

function image(id: string, pinned = false): Image {
  return { id, repoTags: [`example.test/${id}:1`], repoDigests: [], sizeBytes: 100, pinned };
}

function world({ settings = DEFAULT_SETTINGS.imageGc, ...change }: Change = {}) {
  const clock = createManualClock();
  const present = new Map(['used', 'spare', 'wanted'].map((id) => [id, image(id)]));
  present.set('pinned', image('pinned', true));
  const containers = { list: [{ image: 'example.test/used:1', imageRef: 'used' }] as unknown as Container[] };
  const fs = { bytes: 1000, freeBytes: 900, inodes: 0, freeInodes: 0 };
  const told: string[] = [];
  const gc = new ImageGc(
    {
      clock,
      logger: silentLogger,
      metrics: createMetrics(),
      images: {
        list: async () => [...present.values()],
        remove: async (id) => {
          present.delete(id);
          fs.freeBytes += 100;
        },
      },
      runtime: { listContainers: async (filter) => (filter?.labels === undefined ? containers.list : []) },
      machine: { pressure: async () => ({ imageFs: { ...fs } }) as MachinePressure },
    },
    settings,
    {
      events: { pod: () => {}, node: (_, reason) => void told.push(reason) },
      wantedImages: () => ['example.test/wanted:1'],
      ...change,
    },
  );
  const end = new AbortController();
  const after = async (ms: number): Promise<void> => {
    await clock.advance(ms);
    await settle();
  };
  return { clock, present, containers, fs, told, gc, end, after, run: () => void gc.run(end.signal) };
}

describe('ImageGc', () => {
  it('removes nothing below the high threshold', async () => {
    const { run, after, present } = world();
    run();
    await after(30 * MINUTE_MS);
    expect([...present.keys()]).toEqual(['used', 'spare', 'wanted', 'pinned']);
  });

  it('removes what is unused above it, and neither what a pod waits for nor what is pinned', async () => {
    const { run, after, present, fs, told } = world();
    run();
    await after(0);
    fs.freeBytes = 120;
    await after(5 * MINUTE_MS);
    expect([...present.keys()]).toEqual(['used', 'wanted', 'pinned']);
    expect(told).toEqual([]);
  });

  it('tells when not enough can be freed, twice in a row as a failure', async () => {
    const { run, after, fs, told } = world();
    run();
    await after(0);
    fs.freeBytes = 0;
    await after(5 * MINUTE_MS);
    fs.freeBytes = 0;
    await after(5 * MINUTE_MS);
    expect(told).toEqual(['FreeDiskSpaceFailed', 'FreeDiskSpaceFailed', 'ImageGCFailed']);
  });

  it('removes what is too old, if that is set', async () => {
    const settings = { ...DEFAULT_SETTINGS.imageGc, maximumAgeMs: 8 * MINUTE_MS };
    const { run, after, present } = world({ settings });
    run();
    await after(5 * MINUTE_MS);
    expect(present.has('spare')).toBe(true);
    await after(5 * MINUTE_MS);
    expect([...present.keys()]).toEqual(['used', 'wanted', 'pinned']);
  });

  it('removes all that is unused when the disk is short', async () => {
    const { run, after, present, gc, end } = world();
    run();
    await after(3 * MINUTE_MS);
    expect(await gc.deleteUnused(end.signal)).toBe(100);
    expect(present.has('spare')).toBe(false);
  });

  it('leaves others’ images alone on a shared runtime', async () => {
    const { run, after, present, gc, end } = world({ onlyUsedBy: { owner: 'us' } });
    run();
    await after(3 * MINUTE_MS);
    expect(await gc.deleteUnused(end.signal)).toBe(0);
    expect(present.has('spare')).toBe(true);
  });
});
