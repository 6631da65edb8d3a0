/** Scripts that look at one file. */

/** Bytes at the start of a file by which text is told from data. */
export const sampleBytes = 4_096;

/** A file of at most so many bytes is sent as it is: looking for its lines there takes longer. */
export const wholeBytes = 128 * 1024;

/**
 * `PATH FIRST LAST PAGE_BYTES LINE_BYTES WHOLE_BYTES`: where the file is, its size and lines, and the lines FIRST to LAST, or all
 * of one with at most WHOLE_BYTES.
 */
export const readPageScript = `
locate "$1"
[ "$kind" = missing ] && neighbours
[ "$kind" = file ] || done_
[ -r "$resolved" ] || { emit unreadable 1; done_; }
stamp=$(stamp_of "$resolved")
emit stamp "$stamp"
# The last but one word of the stamp: every program less counts.
size=\${stamp% *}; size=\${size##* }
case $size in '' | *[!0-9]*) size=$(wc -c < "$resolved") ;; esac
emit size "$size"
# A file of the kernel has no size before it is read.
if [ "$size" -gt 0 ] && [ "$size" -le "$6" ]; then begin whole; base64 < "$resolved"; end; done_; fi
begin sample; head -c ${sampleBytes} < "$resolved" | base64; end
emit newlines "$(wc -l < "$resolved")"
[ -n "$(tail -c 1 < "$resolved" 2>/dev/null)" ] && emit open_end 1
begin page; sed -n -e "$2,$3p" -e "$3q" < "$resolved" | cut -b "1-$5" | head -c "$4" | base64; end
done_
`;

/** `PATH LIMIT`: the whole file, and a checksum to see later whether it is still the same. */
export const readWholeScript = `
locate "$1"
[ "$kind" = missing ] && neighbours
[ "$kind" = file ] || done_
[ -r "$resolved" ] || { emit unreadable 1; done_; }
[ -w "$resolved" ] || emit unwritable 1
emit stamp "$(stamp_of "$resolved")"
size=$(wc -c < "$resolved")
emit size "$size"
[ "$size" -le "$2" ] || done_
emit checksum "$(cksum < "$resolved")"
begin content; base64 < "$resolved"; end
done_
`;

/** `PATH LIMIT`: what would be overwritten, with its content up to LIMIT bytes, or the first bytes of it. */
export const inspectScript = `
locate "$1"
[ "$kind" = file ] || done_
emit stamp "$(stamp_of "$resolved")"
[ -w "$resolved" ] || emit unwritable 1
[ -r "$resolved" ] || done_
size=$(wc -c < "$resolved")
if [ "$size" -le "$2" ]; then begin content; base64 < "$resolved"; end; done_; fi
cr=$(printf '\\r')
emit newlines "$(wc -l < "$resolved")"
emit crlf "$(grep -c "$cr\\$" < "$resolved")"
begin start; head -c 4096 < "$resolved" | base64; end
done_
`;
