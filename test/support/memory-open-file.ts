/** An `OpenFile` for fakes of files in memory, for tests. */
import type { OpenFile } from '../../src/lib/index.ts';

/** @param bytes returns the file's present bytes. @param isInPlace returns whether its name still leads to it */
export function memoryOpenFile(bytes: () => Uint8Array, isInPlace: () => boolean = () => true, path = ''): OpenFile {
  return {
    path,
    mtimeMs: 0,
    size: async () => bytes().length,
    readAt: async (offset, length) => bytes().slice(offset, offset + length),
    isInPlace: async () => isInPlace(),
    close: async () => {},
  };
}
