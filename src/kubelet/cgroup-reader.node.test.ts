import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cgroupFigures } from './cgroup-figures.ts';
import { cgroupReader, groupFolder, pidsBelow } from './cgroup-reader.node.ts';

const root = mkdtempSync(join(tmpdir(), 'mendlet-cgroup-'));
const file = (path: string, text: string): void => {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
};
const pod = 'unified/x.slice/x-kubepods.slice/x-kubepods-podu1.slice';

beforeAll(() => {
  file(`${pod}/cpu.stat`, 'usage_usec 30\n');
  file(`${pod}/cgroup.procs`, '');
  file(`${pod}/cri-containerd-c1.scope/cpu.stat`, 'usage_usec 20\nuser_usec 10\nsystem_usec 10\n');
  file(`${pod}/cri-containerd-c1.scope/memory.current`, '4096\n');
  file(`${pod}/cri-containerd-c1.scope/cgroup.procs`, '11\n12\n');
  file(`${pod}/crio-c2.scope/cgroup.procs`, '0\n13\n');
  file('cpuacct/kubepods/podu1/c1/cpuacct.usage', '20000\n');
  file('memory/kubepods/podu1/c1/memory.usage_in_bytes', '4096\n');
});
afterAll(() => rmSync(root, { recursive: true }));

describe('on v2 under systemd', () => {
  it.each([
    [undefined, pod],
    ['c1', `${pod}/cri-containerd-c1.scope`],
    ['c2', `${pod}/crio-c2.scope`],
    ['gone', `${pod}/gone`],
  ])('container %s is in %s', (id, folder) => {
    expect(groupFolder(join(root, pod), id)).toBe(join(root, folder));
  });

  it('has figures', () => {
    const figures = (id: string) =>
      cgroupFigures(
        'v2',
        cgroupReader(() => groupFolder(join(root, pod), id)),
      );
    expect(figures('c1')).toMatchObject({ cpu: { usageNanoseconds: 20_000 }, memory: { usageBytes: 4096 } });
    expect(figures('gone')).toBeUndefined();
  });

  it('has all processes below it that are ours', () => {
    expect(pidsBelow(join(root, pod)).toSorted((a, b) => a - b)).toEqual([11, 12, 13]);
    expect(pidsBelow(join(root, 'nowhere'))).toEqual([]);
  });
});

it('on v1 each controller has a tree of its own, and one may be missing', () => {
  const mounted = ['cpuacct', 'memory'];
  const read = cgroupReader((controller) =>
    mounted.includes(controller) ? groupFolder(join(root, controller, 'kubepods/podu1'), 'c1') : undefined,
  );
  expect(cgroupFigures('v1', read)).toEqual({ cpu: { usageNanoseconds: 20_000 }, memory: { usageBytes: 4096 } });
});
