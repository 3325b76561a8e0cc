import { expect, it } from 'vitest';
import { removeLeftCgroups } from './left-cgroups.ts';

/** Groups by path, and the processes in each. */
function groups(all: Readonly<Record<string, readonly number[]>>, stuck: readonly string[] = []) {
  const removed: string[] = [];
  const warned: unknown[] = [];
  const cgroups = {
    list: async (parent: readonly string[]) =>
      Object.keys(all)
        .map((path) => path.split('/'))
        .filter((path) => path.length === parent.length + 1 && parent.every((part, at) => path[at] === part))
        .map((path) => path.at(-1) ?? ''),
    processes: async ({ path }: { readonly path: readonly string[] }) => all[path.join('/')] ?? [],
    remove: async (path: readonly string[]) => {
      if (stuck.includes(path.join('/'))) throw new Error('busy');
      removed.push(path.join('/'));
    },
  };
  return { cgroups, removed, warned, logger: { warn: (...words: unknown[]) => void warned.push(words) } };
}

it('removes the groups of unknown pods in every class, and no other', async () => {
  const { cgroups, removed, logger } = groups({
    'kubepods/burstable': [],
    'kubepods/besteffort': [],
    'kubepods/podguaranteed': [],
    'kubepods/pod': [],
    'kubepods/burstable/poda': [],
    'kubepods/besteffort/podb': [],
    'kubepods/besteffort/podknown': [],
    'kubepods/besteffort/podbusy': [4711],
  });
  await removeLeftCgroups(cgroups, (uid) => uid === 'known', logger);
  expect(removed.toSorted()).toEqual(['kubepods/besteffort/podb', 'kubepods/burstable/poda', 'kubepods/podguaranteed']);
});

it('says which one cannot be removed, and removes the others', async () => {
  const first = 'kubepods/burstable/podfirst';
  const { cgroups, removed, warned, logger } = groups({ [first]: [], 'kubepods/besteffort/podlast': [] }, [first]);
  await removeLeftCgroups(cgroups, () => false, logger);
  expect(removed).toEqual(['kubepods/besteffort/podlast']);
  expect(warned).toEqual([[expect.any(String), { uid: 'first', error: 'busy' }]]);
});
