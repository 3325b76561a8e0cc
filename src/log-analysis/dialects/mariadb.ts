/** MariaDB and MySQL: the first [ERROR] decides, and "Aborting" and failing plugins follow from it. */
import { anyOf } from '../any-of.ts';
import type { Dialect } from './dialect.ts';

export const mariadb: Dialect = {
  name: 'mariadb',
  recognises:
    /\b(?:mysqld|mariadbd|InnoDB)\b|\[(?:ERROR|Warning|Note)\] (?:\[MY-|InnoDB|Plugin|Server|Can't|Could not|Aborted connection \d)/,
  noise: anyOf(
    /failed to retrieve the MAC/,
    // Probes that only open a connection.
    /Aborted connection \d+ to db: 'unconnected' user: 'unauthenticated'/,
    /IP address '[^']+' could not be resolved/,
    /Could not increase number of max_open_files/,
    /mysqld: Shutdown complete/,
    /^Aborting$/,
    /^(?:mariadbd|mysqld): ready for connections.*\bnot\b/,
    /^To report this bug/,
    /^We will try our best/,
    /^Thread pointer/,
    /^Attempting backtrace/,
    /^InnoDB: Starting shutdown/,
    /^terribly wrong/,
    /^Some pointers may be/,
    /^Query \(/,
    /^The manual page at/,
    /^information that should help/,
    /^Please (?:help|check)/,
    /^(?:Server version|key_buffer_size|read_buffer_size|max_used_connections)/,
    /^(?:Writing a core file|Core pattern|Max core|Resource Limits)/,
  ),
  consequence: anyOf(
    /Out of memory \(Needed 0 bytes\)/,
    /Plugin '\w+' (?:init function returned error|registration as a STORAGE ENGINE failed)/,
    /Unknown\/unsupported storage engine/,
    /^Aborting/,
    /Failed to initialize (?:DD|builtin|plugins|a plugin)/,
    /Data Dictionary initialization failed/,
    /InnoDB: (?:Plugin initialization aborted|Database creation was aborted|Cannot open '.*' since|Initialization failed)/,
    /^Failed to initialize TC log/,
    /^Could not open mysql\.plugin table/,
    /Do you already have another \w+ server running/,
    /The designated data directory .* is unusable/,
  ),
  recovery: /\bready for connections\b|^Version: '.* {2}socket:/,
  request: /^(?:Aborted connection|Access denied for user '.*'@'.*'|Got an error (?:reading|writing))/,
  decisive:
    /how to run mysqld as root|Can't create test file|got signal \d+|\berror (?:number )?28\b|^InnoDB: (?:Assertion|Database page corruption|Operating system error number)/,
};
