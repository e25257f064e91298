// SPDX-License-Identifier: GPL-2.0-only
// The colours. A function's name decides its colour, so the function has the same colour everywhere.

const HUES = 30;

const THEMES = {
	light: {
		back: "#ffffff", side: "#f4f6f8", line: "#dde2e8", strong: "#c3cad3", text: "#1d2733",
		dim: "#66727f", group: "#e9edf2", gap: "#d3212d", gapBack: "rgba(211,33,45,.20)",
		error: "#a3159b", errorBack: "rgba(163,21,155,.17)", lost: "#d97700",
		lostBack: "rgba(217,119,0,.20)", trigger: "#1264d1", start: "#138a36", exit: "#5b6773",
		comm: "#6d4bc3", raw: "#0b8793", sample: "#66727f", boxText: "#15202b", select: "#000000",
		hit: "#ffd400", counter: "#5b8ff9", counterBack: "rgba(91,143,249,.32)", shade: "rgba(20,40,70,.10)",
		window: "rgba(18,100,209,.12)", chroma: [58, 74], kernel: [28, 72], dull: "#dfe3e8",
	},
	dark: {
		back: "#14181d", side: "#1b2027", line: "#2a313a", strong: "#3b4550", text: "#e3e8ee",
		dim: "#93a0ae", group: "#222932", gap: "#ff4d55", gapBack: "rgba(255,77,85,.26)",
		error: "#e15fe0", errorBack: "rgba(225,95,224,.22)", lost: "#ffa733",
		lostBack: "rgba(255,167,51,.22)", trigger: "#5aa2ff", start: "#45c76c", exit: "#9aa7b4",
		comm: "#ab8ff5", raw: "#3cc3cf", sample: "#93a0ae", boxText: "#f1f5f9", select: "#ffffff",
		hit: "#ffe04a", counter: "#6f9cf5", counterBack: "rgba(111,156,245,.30)", shade: "rgba(0,0,0,.30)",
		window: "rgba(90,162,255,.16)", chroma: [40, 36], kernel: [24, 40], dull: "#2b333c",
	},
};

class Colours {
	constructor(names) {
		this.names = names;
		this.of = new Int8Array(names.length).fill(-1);
		this.set("light");
	}

	set(theme) {
		Object.assign(this, THEMES[theme]);
		this.theme = theme;
		this.fill = [];
		for (let i = 0; i < HUES; i++) {
			// No function is red, because gaps are.
			const hue = 20 + i * 320 / HUES;
			this.fill.push(`hsl(${hue},${this.chroma[0]}%,${this.chroma[1] + (i % 3 - 1) * 4}%)`);
		}
		for (let i = 0; i < 6; i++)
			this.fill.push(`hsl(${205 + i * 5},${this.kernel[0]}%,${this.kernel[1] + (i % 3 - 1) * 5}%)`);
		this.fill.push(this.dull);
		this.pixel = Uint32Array.from(this.fill, (colour) => Colours.pixelOf(colour, 1));
		this.dimPixel = Uint32Array.from(this.fill, (colour) => Colours.pixelOf(colour, 0.35));
		this.hitPixel = Colours.pixelOf(this.hit, 1);
	}

	// Return a colour as a pixel of ImageData.
	static pixelOf(colour, alpha) {
		const c = new OffscreenCanvas(1, 1).getContext("2d");
		c.fillStyle = colour;
		c.fillRect(0, 0, 1, 1);
		const { data } = c.getImageData(0, 0, 1, 1);
		data[3] = 255 * alpha;
		return new Uint32Array(data.buffer)[0];
	}

	// Return the index in "fill" of a function's colour. Functions of the kernel are grey-blue.
	number(name) {
		if (name < 0)
			return HUES + 6;
		let number = this.of[name];
		if (number < 0) {
			const text = this.names.function(name);
			let hash = 2166136261;
			for (let i = 0; i < text.length; i++)
				hash = Math.imul(hash ^ text.charCodeAt(i), 16777619);
			hash = (hash ^ hash >>> 15) >>> 0;
			if (text === "[unknown]")
				number = HUES + 6;
			else if (this.names.object(name).startsWith("[kernel"))
				number = HUES + hash % 6;
			else
				number = hash % HUES;
			this.of[name] = number;
		}
		return number;
	}

	cpu(cpu) {
		return `hsl(${(cpu * 47 + 130) % 360},45%,${this.theme === "dark" ? 48 : 52}%)`;
	}
}
