import { expect, it } from 'vitest';
import type { Image, ImageService } from '../runtime.ts';
import { keepImages } from './kept-images.ts';

it('marks images that were imported as pinned', async () => {
  const image = (tag: string): Image => ({ id: tag, repoTags: [tag], repoDigests: [], sizeBytes: 1, pinned: false });
  const images = {
    list: async () => [image('example.test/a:1'), image('example.test/b:1')],
  } as unknown as ImageService;
  const list = await keepImages(images, async () => new Set(['example.test/a:1'])).list();
  expect(list.map(({ pinned }) => pinned)).toEqual([true, false]);
});
