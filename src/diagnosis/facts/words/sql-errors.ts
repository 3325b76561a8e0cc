/** The numbers and states of errors of MySQL, MariaDB and PostgreSQL, which are the same in each language of the message. */

interface SqlErrors {
  /** Of MySQL and MariaDB. */
  readonly numbers: readonly number[];
  /** The same as names, as clients of Node.js print them. */
  readonly names: readonly string[];
  /** SQLSTATEs of PostgreSQL, and the classes that its clients make of them. */
  readonly states: readonly string[];
  readonly classes: readonly string[];
}

/**
 * "(1040, 'x')" of Python, "ERROR 1040 (08004): x" of mysql, "Error 1040: x" of Go, "SQLSTATE[08004] [1040] x" of PHP, "errno: 1040";
 * "(SQLSTATE 53300)", "SQLSTATE[53300]", "code: '53300'", "53300: x" of .NET.
 */
function patternOf({ numbers, names, states, classes }: SqlErrors): RegExp {
  const number = `(?:${numbers.join('|')})`;
  const state = `(?:${states.join('|')})`;
  return new RegExp(
    [
      String.raw`(?:mysql|maria|sql|Operational|Programming|Internal)\w*[^(]{0,120}\(${number}, ["'u]`,
      String.raw`\bERROR ${number} \(`,
      String.raw`\bError ${number}(?::| \(\w{5}\))`,
      String.raw`\bSQLSTATE\[\w{5}\] \[${number}\]`,
      String.raw`\b(?:errno|error ?code|vendor ?code)[:= ]{1,3}${number}\b`,
      String.raw`\b(?:${names.join('|')})\b`,
      String.raw`\bSQLSTATE[ :=]{0,2}[([]?["']?${state}\b`,
      String.raw`\bcode: ?["']${state}["']`,
      String.raw`(?:^|Exception[^:]{0,40}: )${state}: `,
      String.raw`\b(?:psycopg2?(?:\.errors)?\.|PG::|asyncpg\.exceptions\.)(?:${classes.join('|')})(?:Error)?\b`,
    ].join('|'),
    'i',
  );
}

export const TOO_MANY_CONNECTIONS = patternOf({
  numbers: [1040, 1203, 1226],
  names: ['ER_CON_COUNT_ERROR', 'ER_TOO_MANY_USER_CONNECTIONS', 'ER_USER_LIMIT_REACHED'],
  states: ['53300'],
  classes: ['TooManyConnections'],
});
export const REFUSED_LOGIN = patternOf({
  numbers: [1045, 1698],
  names: ['ER_ACCESS_DENIED_ERROR', 'ER_ACCESS_DENIED_NO_PASSWORD_ERROR'],
  states: ['28P01', '28000'],
  classes: ['InvalidPassword', 'InvalidAuthorizationSpecification'],
});
export const REFUSED_RIGHT = patternOf({
  numbers: [1044, 1129, 1130, 1142, 1143, 1227],
  names: [
    'ER_DBACCESS_DENIED_ERROR',
    'ER_HOST_IS_BLOCKED',
    'ER_HOST_NOT_PRIVILEGED',
    'ER_TABLEACCESS_DENIED_ERROR',
    'ER_SPECIFIC_ACCESS_DENIED_ERROR',
  ],
  states: ['42501'],
  classes: ['InsufficientPrivilege'],
});
export const NO_SUCH_OBJECT = patternOf({
  numbers: [1049, 1051, 1054, 1146],
  names: ['ER_BAD_DB_ERROR', 'ER_BAD_TABLE_ERROR', 'ER_BAD_FIELD_ERROR', 'ER_NO_SUCH_TABLE'],
  states: ['3D000', '3F000', '42P01', '42703'],
  classes: ['UndefinedTable', 'UndefinedColumn', 'InvalidCatalogName', 'InvalidSchemaName'],
});
