// SPDX-License-Identifier: GPL-2.0-only
// The blobs of the page (format.h), and a cache of the decoded ones.

// Elements of all arrays in the cache
const KEEP_ENTRIES = 6e6;

class Store {
	constructor() {
		this.texts = [];
		this.starts = [];
		let at = 0;
		for (let i = 0; ; i++) {
			const text = this.take(`data-${i}`);
			if (text === null)
				break;
			this.texts.push(text);
			this.starts.push(at);
			at += text.length;
		}
		this.kept = new Map();	// chunk -> entries, in the order of the last use
		this.entries = 0;
		this.loads = 0;		// in progress
		this.onload = () => {};
	}

	// Return the text of an element, or null, and remove the element.
	take(id) {
		const e = document.getElementById(id);
		if (!e)
			return null;
		const text = e.textContent;
		e.remove();
		return text;
	}

	static bytes(base64) {
		if (Uint8Array.fromBase64)
			return Uint8Array.fromBase64(base64);
		const text = atob(base64), bytes = new Uint8Array(text.length);
		for (let i = 0; i < bytes.length; i++)
			bytes[i] = text.charCodeAt(i);
		return bytes;
	}

	static async inflate(base64) {
		const stream = new Blob([Store.bytes(base64)]).stream()
			.pipeThrough(new DecompressionStream("deflate"));
		return new Uint8Array(await new Response(stream).arrayBuffer());
	}

	// Return the text of a blob of @len bytes. @at: the number of characters before it in all
	// elements
	text(at, len) {
		let low = 0, high = this.starts.length;
		while (high - low > 1) {
			const middle = (low + high) >> 1;
			if (this.starts[middle] <= at)
				low = middle;
			else
				high = middle;
		}
		const from = at - this.starts[low];
		return this.texts[low].slice(from, from + Store.chars(len));
	}

	static chars(len) {
		return Math.ceil(len / 3) * 4;
	}

	// Return the decoded chunk. If it is not loaded, return null, load it, and call onload() then.
	get(chunk) {
		if (!chunk.data) {
			this.load(chunk);
			return null;
		}
		this.kept.delete(chunk);
		this.kept.set(chunk, chunk.data.entries);
		return chunk.data;
	}

	// Return a promise of the decoded chunk.
	load(chunk) {
		if (chunk.data)
			return Promise.resolve(this.get(chunk));
		if (!chunk.promise) {
			this.loads++;
			chunk.promise = Store.inflate(this.text(chunk.at, chunk.len)).then((bytes) => {
				chunk.data = chunk.decode(chunk, bytes);
				this.kept.set(chunk, chunk.data.entries);
				this.entries += chunk.data.entries;
				this.drop(chunk);
				return chunk.data;
			}).finally(() => {
				chunk.promise = null;
				this.loads--;
				this.onload();
			});
		}
		return chunk.promise;
	}

	// Forget the chunks that were not used for the longest time, except for @but.
	drop(but) {
		for (const [chunk, entries] of this.kept) {
			if (this.entries <= KEEP_ENTRIES)
				break;
			if (chunk === but)
				continue;
			this.kept.delete(chunk);
			this.entries -= entries;
			chunk.data = null;
		}
	}
}
