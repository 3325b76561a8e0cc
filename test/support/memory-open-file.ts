/** An `OpenFile` for fakes of files in memory. Used by tests alone. */
import type { OpenFile } from '../../src/lib/index.ts';

/** @param bytes what the file has by now. @param isInPlace whether its name still leads to it */
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
