/** Where the agent keeps what it knows of the volumes that it made. Pure. */

/** In the folder of the volumes: whose it is. A folder without it is not the one in which volumes were made. */
export const VOLUMES_MARKER = '.mendlet-volumes';

/** @param rootDir `DIR/agent` */
export function volumesHome(rootDir: string): string {
  return `${rootDir}/local-volumes`;
}

/** The folder of the records, NAME.json for each volume. */
export function volumeRecords(rootDir: string): string {
  return `${volumesHome(rootDir)}/made`;
}

/** The file that says in which folder the volumes were made. */
export function volumesFolderRecord(rootDir: string): string {
  return `${volumesHome(rootDir)}/folder.json`;
}
