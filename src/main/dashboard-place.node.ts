/** The name and the port of the live page, kept in the data folder so that an open tab finds the page again. */
import { existsSync, readFileSync } from 'node:fs';
import { systemSecrets } from '../dashboard/secrets.node.ts';
import { replaceFile } from './replace-file.node.ts';

export interface KeptPlace {
  /** Part of the page's name: secret, as whoever knows the name can lead a browser to another port of it. */
  readonly id: string;
  /** 0: any. */
  readonly port: number;
}

/** Characters of a label of DNS: 104 bits. */
const ID = /^[0-9a-f]{26}$/;

export function newPlace(): KeptPlace {
  return { id: systemSecrets.hash(systemSecrets.random()).slice(0, 26), port: 0 };
}

/** A file that cannot be read, or is none of ours, counts as none: the page then has another name. */
export function readPlace(path: string): KeptPlace {
  try {
    if (!existsSync(path)) return newPlace();
    const { id, port } = JSON.parse(readFileSync(path, 'utf8')) as Partial<KeptPlace>;
    const isPort = typeof port === 'number' && Number.isInteger(port) && port > 0 && port <= 65_535;
    return typeof id === 'string' && ID.test(id) && isPort ? { id, port } : newPlace();
  } catch {
    return newPlace();
  }
}

export function keepPlace(path: string, place: KeptPlace): void {
  replaceFile(path, `${JSON.stringify(place)}\n`);
}
