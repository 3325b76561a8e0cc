import { expect, it } from 'vitest';
import { imageLines } from './image-table.ts';

const image = (id: string, repoTags: readonly string[], sizeBytes: number) => ({
  id,
  repoTags,
  repoDigests: [],
  sizeBytes,
  pinned: false,
});

it('has a line for each name, in order', () => {
  const images = [
    image('sha256:0123456789abcdef', ['docker.io/library/web:2', 'docker.io/library/web:1'], 5_500_000),
    image('sha256:ffff', [], 900),
  ];
  expect(imageLines(images, (name) => name.endsWith(':1'))).toEqual([
    'IMAGE                     ID             SIZE      FROM',
    '<none>                    ffff           900 B     registry',
    'docker.io/library/web:1   0123456789ab   5.2 MiB   archive',
    'docker.io/library/web:2   0123456789ab   5.2 MiB   registry',
  ]);
});

it('says by its head that there are none', () => {
  expect(imageLines([], () => false)).toEqual(['IMAGE   ID   SIZE   FROM']);
});
