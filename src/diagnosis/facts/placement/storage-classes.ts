/** What is said of a StorageClass that does not exist. Pure. */
import { listed } from '../words/text.ts';

/** "there is no StorageClass fast; there is standard". @param classes those that exist; absent: not read */
export function noClassText(name: string | undefined, classes: readonly string[] | undefined): string {
  const others =
    classes === undefined
      ? ''
      : classes.length === 0
        ? ', nor any other'
        : `; there ${classes.length === 1 ? 'is' : 'are'} ${listed(classes)}`;
  return `there is no StorageClass ${name ?? ''}${others}`;
}
