-- SPDX-License-Identifier: GPL-2.0-only
--
-- An example for sqlite3(1): which builds crashed with a gap in the last second? The table has a row
-- for each program whose crashes have such a gap, with the number of these snapshots. Put the lines of
-- all snapshots into the file lines.jsonl, then
--
--	sqlite3 :memory: <auxrec-gaps.sql
--
-- Lines of --log-snapshots have all times of the stream in nanoseconds.

-- Each line is one column: no line contains the separator of columns.
.mode ascii
.separator "\037" "\n"
CREATE TABLE lines (line TEXT);
.import lines.jsonl lines
-- A crash of the machine can cut a line.
DELETE FROM lines WHERE NOT json_valid(line);

.mode column
.headers on
SELECT line ->> '$.builds[0].path' AS program,
       line ->> '$.builds[0].build_id' AS build,
       count(*) AS crashes,
       count(DISTINCT line ->> '$.machine_id') AS machines
FROM lines
WHERE EXISTS (
	SELECT 1 FROM json_each(line, '$.triggers') AS t, json_each(line, '$.losses') AS loss
	WHERE t.value ->> '$.kind' = 'crash'
	  AND loss.value ->> '$.begin' <= t.value ->> '$.time'
	  AND loss.value ->> '$.end' >= (t.value ->> '$.time') - 1000000000)
GROUP BY program, build
ORDER BY crashes DESC, program, build;
