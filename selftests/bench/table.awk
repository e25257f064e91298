# SPDX-License-Identifier: GPL-2.0-only
#
# table.awk: print the table with the rows of cases.txt, from the lines of table-guest.
# Wrong ids of perfaux go to stderr, and make the exit status 1.

function rule(	i, line)
{
	for (i = 0; i < width; i++)
		line = line "="
	for (i = 0; i < 4; i++)
		line = line "  ============"
	print line
}

function row(title, a, b, c, d)
{
	printf "%-*s  %-12s  %-12s  %-12s  %s\n", width, title, a, b, c, d
}

# Return "RIGHT/OF" for row r.
function cell(r, column)
{
	column = column SUBSEP r
	return of[column] ? right[column] + 0 "/" of[column] : "none"
}

FNR == 1 { file++ }

file == 1 && /^beyond / {
	beyond = " " substr($0, index($0, "|") + 1) " "
	next
}

file == 1 && !/^#/ && NF {
	split($0, part, / *\| */)
	title[++rows] = part[1]
	place[rows] = part[2]
	way[rows] = part[3]
	files[rows] = " " part[4] " "
	if (length(part[1]) > width)
		width = length(part[1])
}

function belongs(r, file)
{
	if (files[r] == " * ")
		return !index(beyond, " " file " ")
	return index(files[r], " " file " ")
}

# A line of table-guest: WHO STATE PLACE WAY FILE 1|0
file == 2 {
	for (r = 1; r <= rows; r++) {
		if (place[r] == $3 && (way[r] == "*" || way[r] == $4) &&
		    belongs(r, $5)) {
			of[$1, $2, r]++
			right[$1, $2, r] += $6
		}
	}
}

# With FUSE, ids come later, and are counted in lines of their own (fuse-later).
file == 2 && $1 == "perfaux" && !$6 && $3 != "fuse" && !index(beyond, " " $5 " ") {
	print kernel ": not the id that readelf shows:", $2, $3, $4, $5 >"/dev/stderr"
	status = 1
}

END {
	rule()
	row("case", "stock cold", "stock warm", "perfaux cold", "perfaux warm")
	rule()
	for (r = 1; r <= rows; r++)
		row(title[r], cell(r, "stock" SUBSEP "cold"),
		    cell(r, "stock" SUBSEP "warm"),
		    cell(r, "perfaux" SUBSEP "cold"),
		    cell(r, "perfaux" SUBSEP "warm"))
	rule()
	exit status
}
