/** Marks images without a registry to come back from as pinned, so that they are never collected. */
import type { Image, ImageService } from '../runtime.ts';

/** `names`: full references, asked for with each list. */
export function keepImages(images: ImageService, names: () => Promise<ReadonlySet<string>>): ImageService {
  const mark = (image: Image, kept: ReadonlySet<string>): Image =>
    image.repoTags.some((tag) => kept.has(tag)) ? { ...image, pinned: true } : image;
  return {
    list: async (options) => {
      const [list, kept] = await Promise.all([images.list(options), names()]);
      return list.map((image) => mark(image, kept));
    },
    status: (image, options) => images.status(image, options),
    pull: (image, auth, options) => images.pull(image, auth, options),
    remove: (image, options) => images.remove(image, options),
    fsInfo: (options) => images.fsInfo(options),
  };
}
