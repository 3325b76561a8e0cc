/** Trials of Perl. */
import { CLIENT_FAULTS as f } from '../peers.ts';
import type { Trial } from '../trial.ts';

const program = 'perl';
const pl = (text: string): Trial['files'] => ({
  'app/main.pl': `use strict; use warnings; $| = 1;\nprint "starting\\n";\n${text}\n`,
});
const base = { program, run: 'exec perl main.pl' };
const DBI = (dsn: string, password: string, sql = 'select 1'): string =>
  `use DBI; my $db = DBI->connect("dbi:Pg:${dsn}", "app", "${password}", { RaiseError => 1, PrintError => 0 }); $db->do("${sql}");`;

export const perl: readonly Trial[] = [
  { ...base, ...f.pgRefused, files: pl(DBI('host=127.0.0.1;port=5432;dbname=shop', 'x')) },
  { ...base, ...f.pgNoName, files: pl(DBI('host=db.shop.svc;dbname=shop', 'x')) },
  { ...base, ...f.pgPassword, files: pl(DBI('host=127.0.0.1;dbname=postgres', 's3cr3t-wrong')) },
  { ...base, ...f.pgNoTable, files: pl(DBI('host=127.0.0.1;dbname=postgres', 'right', 'select * from invoices')) },
  { ...base, ...f.missingModule('Mojolicious'), files: pl('use Mojolicious::Lite;') },
  {
    ...base,
    ...f.missingFile,
    files: pl('open(my $in, "<", "/etc/app/settings.json") or die "cannot open /etc/app/settings.json: $!";'),
  },
  {
    ...base,
    ...f.fileDenied,
    files: pl('open(my $in, ">>", "/data/state.db") or die "cannot open /data/state.db: $!";'),
  },
  {
    ...base,
    ...f.missingVariable,
    files: pl('die "environment variable DATABASE_URL is not set\\n" unless $ENV{DATABASE_URL};'),
  },
  {
    ...base,
    ...f.portTaken,
    files: pl(
      'use IO::Socket::INET; my $s = IO::Socket::INET->new(LocalPort => 8080, Listen => 5) or die "cannot listen on port 8080: $!";',
    ),
  },
  {
    ...base,
    name: 'undefined-method',
    family: 'code',
    files: pl('my $x; print $x->name;'),
    truth: { ids: ['exit-code'], must: [`Can't call method "name" on an undefined value`] },
  },
  {
    ...base,
    name: 'syntax-error',
    family: 'code',
    files: pl('my $x = ;'),
    truth: { ids: ['exit-code'], must: ['syntax error at main.pl'] },
  },
  {
    ...base,
    name: 'divide',
    family: 'code',
    files: pl('my $n = 0; print 1 / $n;'),
    truth: { ids: ['exit-code'], must: ['division by zero'] },
  },
];
