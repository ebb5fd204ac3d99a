// The market as it was before it wandered: independent prices every 48 days. A frozen bundle, to compare speeds in one run.
// @ts-nocheck
// biome-ignore-all lint: a bundle
// biome-ignore-all format: a bundle
// biome-ignore-all assist: a bundle
import type { Feed } from '../src/market/feeds.js'
import type { PricePath } from '../src/market/path.js'
import type { Volume } from '../src/market/volume.js'
import seedrandom from "seedrandom/seedrandom.js";
// .build/old/src/market/groups.ts
/** All groups: coins with what is derived from them, currencies with metals, stablecoins. */
const FEED_GROUPS = [
	"crypto",
	"fx",
	"stable"
];
const DAYS = [
	"thu",
	"fri",
	"sat",
	"sun",
	"mon",
	"tue",
	"wed"
];
const weekOf = (weight) => DAYS.flatMap((day) => Array.from({ length: 24 }, (_, hour) => weight(day, hour)));
/** Below this level halves are even: a second has no structure of its own. */
const LOWEST_UNEVEN_LEVEL = 4;
const unevenness = (upper, middle, lower) => (level) => level > 22 ? .15 : level > 16 ? upper : level > 5 ? middle : level >= LOWEST_UNEVEN_LEVEL ? lower : 0;
/** Coins trade around the clock, most when Europe and America are both awake, and less at weekends. */
const CRYPTO_HOURS = [
	1.25,
	1.1,
	.95,
	.85,
	.8,
	.75,
	.75,
	.85,
	.9,
	.9,
	.9,
	.95,
	1.05,
	1.35,
	1.75,
	1.7,
	1.5,
	1.35,
	1.2,
	1.1,
	1,
	.95,
	.85,
	.9
];
const CRYPTO_DAYS = {
	thu: 1.15,
	fri: 1.1,
	sat: .62,
	sun: .7,
	mon: 1.1,
	tue: 1.1,
	wed: 1.15
};
/** Currencies have the sessions of London and New York. From Friday to Sunday at 21:00 UTC they only tremble. */
const FX_HOURS = [
	.55,
	.5,
	.5,
	.45,
	.4,
	.5,
	.9,
	1.6,
	1.7,
	1.4,
	1.2,
	1.2,
	1.7,
	2.1,
	2.2,
	1.9,
	1.3,
	.9,
	.7,
	.6,
	.5,
	.35,
	.35,
	.4
];
const FX_WEEKEND = .01;
const isWeekend = (day, hour) => day === "sat" || day === "fri" && hour >= 21 || day === "sun" && hour < 21;
const crypto = {
	unevenness: unevenness(.23, .2, .15),
	week: weekOf((day, hour) => CRYPTO_HOURS[hour] * CRYPTO_DAYS[day])
};
/** The activity of each group. */
const ACTIVITY = {
	crypto,
	fx: {
		unevenness: unevenness(.12, .19, .15),
		week: weekOf((day, hour) => isWeekend(day, hour) ? FX_WEEKEND : FX_HOURS[hour])
	},
	stable: crypto
};
// .build/old/src/market/random.ts
/** The keys of the source `name` under `seed`. */
function keysOf(seed, name) {
	const stream = seedrandom(`${seed}:${name}`);
	return {
		k1: stream.int32(),
		k2: stream.int32()
	};
}
/**
* The first half of a counter-based integer hash, the same for every source: it scatters a second over 32 bits. It uses only xor,
* shifts and `Math.imul`, so that every engine gives the same bits; seconds count modulo 2^32.
*/
function scatter(second) {
	const h = Math.imul(second ^ second >>> 16, 2246822507);
	const g = Math.imul(h ^ h >>> 13, 3266489909);
	return g ^ g >>> 16;
}
/** The second half: 32 random bits for a scattered second of one source. */
function hashOf(k1, k2, scattered) {
	const h = Math.imul(scattered ^ k1, k2 | 1);
	const g = Math.imul(h ^ h >>> 15, 668265263);
	return g ^ g >>> 15;
}
/** A uniform number in [−1, 1) for a scattered second of one source. */
function uniformOf(k1, k2, scattered) {
	return hashOf(k1, k2, scattered) / 2147483648;
}
// .build/old/src/market/cascade.ts
/**
* The splits of nodes, each of `SPLIT_FIELDS` numbers that lie together: the share of the left half, the square roots of the shares of
* the left and of the right half, and √(3 · share · (1 − share)), the displacement of the midpoint for a node of deviation 1 and a
* noise of 1. All cascades use the same array, so that a split is known by the index of its first number.
*/
const SPLIT_FIELDS = 4;
/** Seconds of a Julian year, the unit of annualised volatility. */
const SECONDS_PER_YEAR = 31557600;
const HOUR = 3600;
const WEEK = 604800;
/** The starts and midpoints of nodes with a season are multiples of 128 seconds within a week. */
const GRID_BITS = 7;
const GRID = 128;
/** The highest bits of a product are its best. */
const CHOICE_SHIFT = 26;
/** Upper nodes change rarely, so their splits are remembered for all cascades, each in the slot of its hash. */
const SLOTS = 2048;
const FIRST_SLOT = 3 * FEED_GROUPS.length * 64 * SPLIT_FIELDS;
/** The deviations of roots are remembered likewise. */
const ROOT_SLOTS = 2048;
const slotDeviation = new Float64Array(ROOT_SLOTS);
/** The start with the level, which the zeros at its end have room for, and the cascade of each. */
const slotRoot = new Int32Array(2 * ROOT_SLOTS);
/** All splits: the tables of the lower levels, and then the slots. */
const SPLITS = new Float64Array(FIRST_SLOT + SLOTS * SPLIT_FIELDS);
/** The midpoint and the cascade of each slot. */
const slotNode = new Int32Array(2 * SLOTS);
/** A uniform number in [−1, 1) has the variance 1/3. */
const SQRT_3 = Math.sqrt(3);
function setSplit(index, share) {
	const left = Math.sqrt(share);
	const right = Math.sqrt(1 - share);
	SPLITS[index] = share;
	SPLITS[index + 1] = left;
	SPLITS[index + 2] = right;
	SPLITS[index + 3] = SQRT_3 * left * right;
}
/** The index in `SPLITS` of a split that is chosen from a table. `k2` is odd, so that all choices are equally frequent. */
const choiceOf = (table, k1, k2, scattered) => table + (Math.imul(scattered ^ k1, k2) >>> CHOICE_SHIFT) * SPLIT_FIELDS;
/** The seconds by which the usual trading time of a group is ahead of the clock, by place in the week: see `placeOf`. */
const aheadOf = (group) => shapeOf(group).ahead;
/**
* The distance from ½ of a choice, for an unevenness of 1. The choices lie in two narrow bands of variance 1: as wild as two points,
* without having only 2^n values.
*/
function distanceOf(choice) {
	const u = (2 * choice + 1) / 64 - 1;
	return (u < 0 ? -1 : 1) * (.8 + .4 * Math.abs(u)) / 1.0066;
}
const DISTANCES = Float64Array.from({ length: 64 }, (_, choice) => distanceOf(choice));
const shapes = /* @__PURE__ */ new Map();
function shapeOf(group) {
	let shape = shapes.get(group);
	if (shape === void 0) shapes.set(group, shape = createShape(group));
	return shape;
}
function createShape(group) {
	const { unevenness, week } = ACTIVITY[group];
	const tables = /* @__PURE__ */ new Int32Array(13);
	const known = /* @__PURE__ */ new Map();
	for (let level = 0; level < 13; level++) {
		const of = unevenness(level);
		let table = known.get(of);
		if (table === void 0) {
			table = (3 * FEED_GROUPS.indexOf(group) + known.size) * 64 * SPLIT_FIELDS;
			known.set(of, table);
			for (let choice = 0; choice < 64; choice++) setSplit(table + choice * SPLIT_FIELDS, .5 + of * distanceOf(choice));
		}
		tables[level] = table;
	}
	const mean = week.reduce((sum, weight) => sum + weight, 0) / week.length;
	const ahead = new Float64Array(WEEK / GRID);
	let passed = 0;
	for (let i = 0; i + 1 < ahead.length; i++) {
		const from = i * GRID;
		const hour = Math.floor(from / HOUR);
		const rest = Math.max(0, from + GRID - (hour + 1) * HOUR);
		passed += ((GRID - rest) * week[hour] + (rest === 0 ? 0 : rest * week[hour + 1])) / mean;
		ahead[i + 1] = passed - (from + GRID);
	}
	return {
		tables,
		unevenness: Float64Array.from({ length: 32 }, (_, level) => unevenness(level)),
		ahead
	};
}
/** The place of a second in `aheadOf`. */
const placeOf = (second) => (second >>> GRID_BITS) % (WEEK / GRID);
/** The usual trading time of a group from one second to another, both multiples of 128: as the hours of the week go. */
function usualTime(group, from, to) {
	const { ahead } = shapeOf(group);
	return to - from + (ahead[placeOf(to)] - ahead[placeOf(from)]);
}
/** Numbers of cascades, for the slots. */
let lastNumber = 0;
/** Creates the trading time of a group under a seed. */
function createCascade(seed, group) {
	const keys = keysOf(seed, `cascade:${group}`);
	const k1 = keys.k1;
	const k2 = keys.k2 | 1;
	const { tables, unevenness, ahead } = shapeOf(group);
	const number = ++lastNumber;
	const usualShare = (level, middle) => {
		if (level < 13) return .5;
		const half = 1 << level - 1;
		const start = ahead[placeOf(middle - half)];
		return (half + (ahead[placeOf(middle)] - start)) / (2 * half + (ahead[placeOf(middle + half)] - start));
	};
	const share = (level, usual, scattered) => {
		const distance = unevenness[level] * DISTANCES[Math.imul(scattered ^ k1, k2) >>> CHOICE_SHIFT];
		return usual + 4 * usual * (1 - usual) * distance;
	};
	const lowerSplit = (level, scattered) => choiceOf(tables[level], k1, k2, scattered);
	const split = (level, middle, scattered) => {
		if (level < 13) return lowerSplit(level, scattered);
		const slot = (scattered ^ number) & 2047;
		const index = FIRST_SLOT + slot * SPLIT_FIELDS;
		if (slotNode[2 * slot] !== middle || slotNode[2 * slot + 1] !== number) {
			slotNode[2 * slot] = middle;
			slotNode[2 * slot + 1] = number;
			setSplit(index, share(level, usualShare(level, middle), scattered));
		}
		return index;
	};
	/** The trading time of a node in seconds. */
	const duration = (level, start) => {
		const size = 1 << level;
		let time = size + (ahead[placeOf(start + size)] - ahead[placeOf(start)]);
		let child = start | 0;
		for (let above = level + 1; above <= level + 2; above++) {
			const parent = child & -(1 << above);
			const middle = parent + (1 << above - 1);
			const share = SPLITS[split(above, middle, scatter(middle))];
			const q = usualShare(above, middle);
			time *= child === parent ? share / q : (1 - share) / (1 - q);
			child = parent;
		}
		return time;
	};
	return {
		tables,
		k1,
		k2,
		split,
		lowerSplit,
		share,
		usualShare,
		deviation(level, start) {
			const slot = (start >>> level) + number * 512 & 2047;
			if (slotRoot[2 * slot] !== (start | level) || slotRoot[2 * slot + 1] !== number) {
				slotRoot[2 * slot] = start | level;
				slotRoot[2 * slot + 1] = number;
				slotDeviation[slot] = Math.sqrt(duration(level, start) / SECONDS_PER_YEAR);
			}
			return slotDeviation[slot];
		}
	};
}
// .build/old/src/market/extremes.ts
/** The number of ticks looked up first, evenly over the window: with a good incumbent the search skips most nodes. */
const PROBES = 128;
/** More than the rounding error of a sum of thirty log prices. */
const ROUNDING = 1e-13;
/** Creates the search of one walk. The inner functions share the state of one search. */
function createExtremesSearch(walk, tickLevel, pricing) {
	const { rootLevel } = walk;
	const { toPrice, widthOf, growth } = pricing;
	const heartbeat = 1 << tickLevel;
	const span = 1 << rootLevel;
	let sign = 1;
	let rootStart = 0;
	let bestPrice = 0;
	let best = 0;
	let floor = 0;
	let bestTime = 0;
	let mostGrowth = 0;
	const setNeeded = () => {
		if (growth !== 0) {
			const gained = sign * growth * (rootStart + (sign === 1 ? span : 0) - bestTime);
			mostGrowth = gained + Math.abs(gained) / 100;
		}
		NEEDED[0] = floor - mostGrowth - ROUNDING;
		NEEDED[1] = best - mostGrowth - ROUNDING;
	};
	const offer = (offset, log) => {
		const price = sign * toPrice(sign * log, rootStart + offset);
		if (price > bestPrice) {
			bestPrice = price;
			BEST[0] = offset;
			bestTime = rootStart + offset;
			best = log;
			floor = log - widthOf(sign * price);
			setNeeded();
		} else if (price === bestPrice) {
			if (offset < BEST[0]) BEST[0] = offset;
			if (log > best && growth === 0) best = log;
			setNeeded();
		}
	};
	const searched = {
		walk,
		bounds: boundsOf(walk.reach, rootLevel),
		tickLevel,
		growth,
		offer
	};
	/** Searches the high (sign 1) or the low (−1), from a known tick and its log price. */
	const search = (towards, first, last, known, log) => {
		sign = towards;
		bestPrice = sign * toPrice(log, known);
		bestTime = known;
		best = sign * log;
		floor = best - widthOf(sign * bestPrice);
		let bestSecond = known;
		const start = Math.floor(first / span) * span;
		let a = sign * walk.anchor(start);
		for (let root = start; root <= last; root += span) {
			const b = sign * walk.anchor(root + span);
			rootStart = root;
			setNeeded();
			BEST[0] = bestSecond - root;
			if (first <= root) offer(0, a);
			if (rootLevel > tickLevel) searchRoot(searched, sign, rootStart, first - root, last - root, a, b, walk.rootDeviation(root));
			bestSecond = root + BEST[0];
			a = b;
		}
		return {
			price: sign * bestPrice,
			ts: bestSecond
		};
	};
	return (first, last) => {
		loadWalk(searched);
		let stride = heartbeat;
		while (stride * PROBES < last - first) stride *= 2;
		const offset = stride > heartbeat ? stride / 2 : 0;
		let highest = walk.at(first);
		let lowest = highest;
		let high = first;
		let low = first;
		for (let second = Math.ceil((first - offset) / stride) * stride + offset; second <= last; second += stride) {
			const log = walk.at(second);
			if (log > highest) [high, highest] = [second, log];
			if (log < lowest) [low, lowest] = [second, log];
		}
		return {
			high: search(1, first, last, high, highest),
			low: search(-1, first, last, low, lowest)
		};
	};
}
/** The number of drivers whose data fit into the memory. The noise of more drivers is asked of the walk. */
const MAX_DRIVERS = 8;
/** By level, the bounds of the walk: see `reachOf`. */
const BOUNDS = /* @__PURE__ */ new Float64Array(256);
/** By level, a half that is searched after the other one: its start, its ends and its deviation. */
const HALVES = /* @__PURE__ */ new Float64Array(128);
const VOLATILITIES = new Float64Array(MAX_DRIVERS);
const KEYS = /* @__PURE__ */ new Int32Array(16);
const TABLES = /* @__PURE__ */ new Int32Array(13);
/** The log prices that a point of a root needs, without growth and rounding errors: to reach the best price, and to exceed it. */
const NEEDED = /* @__PURE__ */ new Float64Array(2);
/** The offset of the best price from the start of the root. It may lie in another root, further away than 2^31 seconds. */
const BEST = /* @__PURE__ */ new Float64Array(1);
/** The bounds of a walk in the order of the memory. */
function boundsOf({ first, firstFall, second, secondFall, steep, tail }, rootLevel) {
	const fields = [
		first,
		firstFall,
		second,
		secondFall,
		steep,
		tail
	];
	return Float64Array.from({ length: 8 * (rootLevel + 1) }, (_, i) => fields[i & 7]?.[i >>> 3] ?? 0);
}
const within = (offset, span) => (offset < 0 ? 0 : offset > span ? span : offset) | 0;
/** Prepares the memory for roots of a walk. */
function loadWalk({ walk: { data }, bounds }) {
	BOUNDS.set(bounds);
	if (data === void 0) return;
	TABLES.set(data.tables);
	if (data.volatilities.length > MAX_DRIVERS) return;
	VOLATILITIES.set(data.volatilities);
	KEYS.set(data.keys);
}
/**
* Offers all points of a root that may be the highest ones of `first … last`: a node by its midpoint, then its halves.
* @param sign −1 searches the mirrored walk
* @param rootStart the second at which the root starts
* @param leftEnd the log price there, times the sign
* @param rightEnd the log price at its end, times the sign
* @param ofRoot its deviation
*/
function searchRoot({ walk, tickLevel, growth, offer }, sign, rootStart, first, last, leftEnd, rightEnd, ofRoot) {
	const { rootLevel, noise, split, data } = walk;
	const { steepest } = walk.reach;
	const k1 = data === void 0 ? 0 : data.k1;
	const k2 = data === void 0 ? 0 : data.k2;
	const tabled = data === void 0 ? 0 : 13;
	const drivers = data === void 0 || data.volatilities.length > MAX_DRIVERS ? 0 : data.volatilities.length;
	const heartbeat = 1 << tickLevel;
	const span = 1 << rootLevel;
	const fall = .99 * growth;
	const origin = rootStart | 0;
	let toReach = NEEDED[0];
	let toExceed = NEEDED[1];
	const from = within(first, span);
	const to = within(last, span);
	let best = within(BEST[0], span);
	let level = rootLevel;
	let start = 0;
	HALVES[1] = leftEnd;
	HALVES[2] = rightEnd;
	HALVES[3] = ofRoot;
	let a = HALVES[1];
	let b = HALVES[2];
	let s = HALVES[3];
	let waiting = 0;
	let inside = 0;
	for (;;) {
		const length = 1 << level;
		let isInside = inside >>> level & 1;
		let isWanted = true;
		if (isInside === 0) {
			const end = start + length - heartbeat;
			isWanted = start + heartbeat <= to && end >= from;
			if (start + heartbeat >= from && end <= to) isInside = 1;
		}
		if (isWanted) {
			let missing = (start < best ? toReach : toExceed) - (a > b ? a : b);
			if (fall !== 0) missing += fall * (sign === 1 ? span - start - length : start);
			if (missing > 0) {
				const at = 8 * level;
				const distance = a > b ? a - b : b - a;
				isWanted = distance >= steepest * s ? missing <= s * BOUNDS[at + 4] && missing * distance <= s * s * BOUNDS[at + 5] : missing <= s * BOUNDS[at] - BOUNDS[at + 1] * distance || missing <= s * BOUNDS[at + 2] - BOUNDS[at + 3] * distance;
			}
		}
		if (isWanted) {
			const middle = start + (length >>> 1);
			const second = origin + middle | 0;
			const scattered = scatter(second);
			const index = level < tabled ? choiceOf(TABLES[level], k1, k2, scattered) : split(level, second, scattered);
			let sum = 0;
			if (drivers === 0) sum = noise(scattered);
			for (let i = 0; i < drivers; i++) sum += VOLATILITIES[i] * uniformOf(KEYS[2 * i], KEYS[2 * i + 1], scattered);
			const m = a + (b - a) * SPLITS[index] + sign * (s * SPLITS[index + 3] * sum);
			if (m >= toReach && (isInside === 1 || middle >= from && middle <= to)) {
				offer(middle, m);
				toReach = NEEDED[0];
				toExceed = NEEDED[1];
				best = within(BEST[0], span);
			}
			level--;
			if (level > tickLevel) {
				const bit = 1 << level;
				waiting |= bit;
				inside = isInside === 1 ? inside | bit : inside & ~bit;
				const at = 4 * level;
				if (a >= b) {
					HALVES[at] = middle;
					HALVES[at + 1] = m;
					HALVES[at + 2] = b;
					HALVES[at + 3] = s * SPLITS[index + 2];
					b = m;
					s *= SPLITS[index + 1];
				} else {
					HALVES[at] = start;
					HALVES[at + 1] = a;
					HALVES[at + 2] = m;
					HALVES[at + 3] = s * SPLITS[index + 1];
					start = middle;
					a = m;
					s *= SPLITS[index + 2];
				}
				continue;
			}
		}
		if (waiting === 0) return;
		level = 31 - Math.clz32(waiting & -waiting);
		waiting &= waiting - 1;
		const at = 4 * level;
		start = HALVES[at] | 0;
		a = HALVES[at + 1];
		b = HALVES[at + 2];
		s = HALVES[at + 3];
	}
}
// .build/old/src/market/path.ts
/** The answer of a path without holes. */
const NO_HOLES = [];
// .build/old/src/market/pricing.ts
/** 2025-07-24T00:00:00Z: the ratios of the catalogue are those of that day. */
const GROWTH_START = 1753315200;
/** The factor on the price of a feed at a second, by its growth; for feeds without growth it is 1. */
const growthFactor = (growth, second) => exponential(growth * (second - GROWTH_START));
/** The growth of the log price of a feed in a second. */
const growthOf = ({ yield: yearly = 0 }) => yearly / SECONDS_PER_YEAR;
/** The prices of a feed. */
function createPricing(feed) {
	const { step } = feed;
	const growth = growthOf(feed);
	const baseSteps = feed.base * POWERS_OF_TEN[-feed.expo] / step;
	return {
		toPrice: growth === 0 ? (log) => Math.round(baseSteps * exponential(log)) * step : (log, second) => Math.round(baseSteps * exponential(log) * growthFactor(growth, second)) * step,
		widthOf: (price) => 1.02 / (price / step - .5) + 1e-13,
		growth
	};
}
/** Powers of ten by exponent, 0 … 18, each an exact double. */
const POWERS_OF_TEN = [
	1,
	10,
	100,
	1e3,
	1e4,
	1e5,
	1e6,
	1e7,
	1e8,
	1e9,
	1e10,
	1e11,
	0xe8d4a51000,
	0x9184e72a000,
	0x5af3107a4000,
	0x38d7ea4c68000,
	0x2386f26fc10000,
	0x16345785d8a0000,
	0xde0b6b3a7640000
];
/** (1 + x/1024)^1024, close to e^x for |x| < 1 and monotone, so that the highest x is the highest price. */
function exponential(x) {
	let y = 1 + x / 1024;
	for (let i = 0; i < 10; i++) y *= y;
	return y;
}
// .build/old/src/market/reach.ts
/** The slopes of RISE. A slope is the distance of the ends of a node, for a standard deviation of 1 and a noise of at most 1. */
const SLOPES = [
	0,
	1.5,
	3
];
/** By slope and by level, how far a point inside a node can lie above its higher end. It is a convex function of the slope. */
const RISE = [
	[
		0,
		.867,
		1.047,
		1.39,
		1.651,
		1.83,
		2.033,
		2.167,
		2.313,
		2.415,
		2.52,
		2.598,
		2.673,
		2.837,
		2.966,
		3.133,
		3.283,
		3.416,
		3.548,
		3.624,
		3.487,
		3.5,
		3.499,
		3.348,
		3.254,
		3.154,
		3.09
	],
	[
		0,
		.118,
		.672,
		.828,
		1.067,
		1.272,
		1.435,
		1.592,
		1.722,
		1.837,
		1.932,
		2.016,
		2.087,
		2.223,
		2.37,
		2.521,
		2.665,
		2.8,
		2.925,
		2.991,
		2.905,
		2.892,
		2.896,
		2.794,
		2.676,
		2.597,
		2.52
	],
	[
		0,
		.001,
		.297,
		.583,
		.746,
		.892,
		1.052,
		1.188,
		1.317,
		1.432,
		1.527,
		1.611,
		1.681,
		1.802,
		1.934,
		2.057,
		2.189,
		2.313,
		2.431,
		2.499,
		2.487,
		2.457,
		2.467,
		2.393,
		2.309,
		2.212,
		2.146
	]
];
/** By level, a bound of that times the slope, for all slopes. */
const TAIL = [
	0,
	.38,
	1.1,
	1.84,
	2.59,
	3.34,
	4.08,
	4.87,
	5.58,
	6.33,
	7.01,
	7.78,
	8.48,
	10.46,
	12.15,
	13.93,
	16.02,
	18.02,
	20.23,
	20.93,
	21.24,
	21.56,
	21.85,
	22.16,
	22.48,
	22.79,
	23.11
];
/** Creates the bounds of walks whose noise is at most `bound`. */
function createReach(bound) {
	const [flat, middle, steep] = RISE.map((rises) => Float64Array.from(rises, (rise) => rise * bound));
	const [, half, last] = SLOPES;
	const firstFall = flat.map((rise, level) => (rise - middle[level]) / (half * bound));
	const secondFall = middle.map((rise, level) => (rise - steep[level]) / ((last - half) * bound));
	return {
		first: flat,
		firstFall,
		second: middle.map((rise, level) => rise + secondFall[level] * half * bound),
		secondFall,
		steepest: last * bound,
		steep,
		tail: Float64Array.from(TAIL, (product) => product * bound * bound)
	};
}
/**
* How far a point inside a node can lie above its higher end, or below its lower one.
* @param distance of its ends
* @param s its standard deviation
*/
function reachOf(reach, level, distance, s) {
	if (distance >= reach.steepest * s) return Math.min(s * reach.steep[level], s * s * reach.tail[level] / distance);
	const first = s * reach.first[level] - reach.firstFall[level] * distance;
	const second = s * reach.second[level] - reach.secondFall[level] * distance;
	return first > second ? first : second;
}
// .build/old/src/market/walk.ts
/** A uniform number in [−1, 1) has variance 1/3; two anchors differ by the variance of a span. */
const anchorScaleOf = (span) => Math.sqrt(3 * span / 2 / SECONDS_PER_YEAR);
createReach(1);
/** Creates the walk of a set of drivers. It keeps the nodes of the last look-up, because neighbouring seconds share the upper ones. */
function createWalk({ seed, group, span, drivers }) {
	const rootLevel = 31 - Math.clz32(span);
	const { at: noise, bound, volatilities, keys } = createNoise(seed, drivers);
	const { tables, k1, k2, split, lowerSplit, share, deviation: deviationOf } = createCascade(seed, group);
	const ahead = aheadOf(group);
	const anchorScale = anchorScaleOf(span);
	const anchor = (second) => anchorScale * noise(scatter(second | 0));
	const rootDeviation = (start) => deviationOf(rootLevel, start);
	const left = new Float64Array(rootLevel + 1);
	const right = new Float64Array(rootLevel + 1);
	const deviation = new Float64Array(rootLevel + 1);
	let last = 0;
	let depth = rootLevel + 1;
	const at = (second) => {
		let level = Math.max(32 - Math.clz32(second ^ last), depth);
		if (level > rootLevel) {
			level = rootLevel;
			const root = Math.floor(second / span) * span;
			left[level] = anchor(root);
			right[level] = anchor(root + span);
			deviation[level] = rootDeviation(root);
		}
		last = second;
		let half = 1 << level >>> 1;
		let rest = second & (1 << level) - 1;
		let start = second - rest | 0;
		let a = left[level];
		let b = right[level];
		let s = deviation[level];
		if (rest !== 0 && level >= 13) {
			let from = ahead[placeOf(start)];
			let until = ahead[placeOf(start + 2 * half)];
			do {
				const middle = start + half | 0;
				const scattered = scatter(middle);
				const at = ahead[placeOf(middle)];
				const w = share(level, (half + (at - from)) / (2 * half + (until - from)), scattered);
				const leftRoot = Math.sqrt(w);
				const rightRoot = Math.sqrt(1 - w);
				const m = a + (b - a) * w + s * (SQRT_3 * leftRoot * rightRoot) * noise(scattered);
				if (rest >= half) {
					a = m;
					s *= rightRoot;
					from = at;
					start = middle;
					rest -= half;
				} else {
					b = m;
					s *= leftRoot;
					until = at;
				}
				half >>>= 1;
				level--;
				left[level] = a;
				right[level] = b;
				deviation[level] = s;
			} while (rest !== 0 && level >= 13);
		}
		while (rest !== 0) {
			const middle = start + half | 0;
			const scattered = scatter(middle);
			const index = lowerSplit(level, scattered);
			const m = a + (b - a) * SPLITS[index] + s * SPLITS[index + 3] * noise(scattered);
			if (rest >= half) {
				a = m;
				s *= SPLITS[index + 2];
				start = middle;
				rest -= half;
			} else {
				b = m;
				s *= SPLITS[index + 1];
			}
			half >>>= 1;
			level--;
			left[level] = a;
			right[level] = b;
			deviation[level] = s;
		}
		depth = level;
		return a;
	};
	const data = {
		volatilities,
		keys,
		tables,
		k1,
		k2
	};
	return {
		rootLevel,
		at,
		anchor,
		rootDeviation,
		noise,
		split,
		reach: createReach(bound),
		data
	};
}
/**
* Creates the noise of some drivers.
* @param drivers annualised volatility by name, at least one; negative moves against the driver
*/
function createNoise(seed, drivers) {
	const names = Object.keys(drivers);
	const count = names.length;
	const keys = Int32Array.from(names.flatMap((name) => {
		const { k1, k2 } = keysOf(seed, name);
		return [k1, k2];
	}));
	const volatilities = Float64Array.from(names, (name) => drivers[name]);
	const bound = volatilities.reduce((sum, share) => sum + Math.abs(share), 0);
	const at = (scattered) => {
		let sum = 0;
		for (let i = 0; i < count; i++) sum += volatilities[i] * uniformOf(keys[2 * i], keys[2 * i + 1], scattered);
		return sum;
	};
	return {
		at,
		bound,
		volatilities,
		keys
	};
}
// .build/old/src/market/walk-parts.ts
const ALL = () => true;
/** Creates the parts of `from … to` of a walk, both multiples of 2^tickLevel, `0 ≤ from ≤ to`. */
function createWalkParts(walk, tickLevel, { toPrice }) {
	const { rootLevel, reach, split, noise } = walk;
	const heartbeat = 1 << tickLevel;
	const span = 1 << rootLevel;
	/** The two halves of a node. */
	const halvesOf = ({ level, start, a, b, s }) => {
		const middle = start + (1 << level - 1);
		const scattered = scatter(middle | 0);
		const index = split(level, middle | 0, scattered);
		const m = a + (b - a) * SPLITS[index] + s * SPLITS[index + 3] * noise(scattered);
		return [{
			level: level - 1,
			start,
			a,
			b: m,
			s: s * SPLITS[index + 1]
		}, {
			level: level - 1,
			start: middle,
			a: m,
			b,
			s: s * SPLITS[index + 2]
		}];
	};
	const addTick = (parts, second, log, isWanted) => {
		const price = toPrice(log, second);
		if (isWanted(second, second, price, price)) parts.push({
			from: second,
			to: second,
			low: price,
			high: price
		});
	};
	return (from, to) => {
		/** Adds a node, without the ticks at its ends. */
		const addNode = (parts, node, isWanted) => {
			const { level, start, a, b, s } = node;
			const first = Math.max(from, start + heartbeat);
			const last = Math.min(to, start + (1 << level) - heartbeat);
			if (first > last) return;
			if (level - 1 > tickLevel) {
				const middle = start + (1 << level - 1);
				if (first > middle || last < middle) {
					addNode(parts, halvesOf(node)[first > middle ? 1 : 0], isWanted);
					return;
				}
			}
			const slack = reachOf(reach, level, Math.abs(b - a), s) + 1e-13;
			const low = toPrice(Math.min(a, b) - slack, first);
			const high = toPrice(Math.max(a, b) + slack, last);
			if (!isWanted(first, last, low, high)) return;
			const split = (isWanted) => {
				const halves = halvesOf(node);
				const middle = halves[1].start;
				const children = [];
				addNode(children, halves[0], isWanted);
				if (middle >= from && middle <= to) addTick(children, middle, halves[1].a, isWanted);
				addNode(children, halves[1], isWanted);
				return children;
			};
			parts.push({
				from: first,
				to: last,
				low,
				high,
				split
			});
		};
		const parts = [];
		for (let root = Math.floor(from / span) * span; root <= to; root += span) {
			const a = walk.anchor(root);
			if (root >= from) addTick(parts, root, a, ALL);
			addNode(parts, {
				level: rootLevel,
				start: root,
				a,
				b: walk.anchor(root + span),
				s: walk.rootDeviation(root)
			}, ALL);
		}
		return parts;
	};
}
// .build/old/src/market/feed-path.ts
/** The number of spans whose extremes are cached. */
const MAX_CACHED_SPANS = 32;
/** Creates the price path of a feed under a seed, without faults. No tick lies before 1970. */
function createFeedPath(seed, feed) {
	const walk = createWalk({
		seed,
		group: feed.group,
		span: feed.span,
		drivers: feed.drivers
	});
	const { heartbeat } = feed;
	const tickLevel = 31 - Math.clz32(heartbeat);
	const pricing = createPricing(feed);
	const { toPrice } = pricing;
	const search = createExtremesSearch(walk, tickLevel, pricing);
	const parts = createWalkParts(walk, tickLevel, pricing);
	const known = /* @__PURE__ */ new Map();
	const firstTick = (from) => Math.max(0, Math.ceil(from / heartbeat) * heartbeat);
	const lastTick = (to) => Math.floor(to / heartbeat) * heartbeat;
	return {
		cycle: {
			seconds: heartbeat,
			from: 0,
			until: Number.POSITIVE_INFINITY
		},
		at: (tick) => toPrice(walk.at(tick), tick),
		extremes(from, to) {
			const [first, last] = [firstTick(from), lastTick(to)];
			if (first > last) return void 0;
			const key = `${first} ${last}`;
			let found = known.get(key);
			if (found !== void 0) return found;
			found = search(first, last);
			if (known.size === MAX_CACHED_SPANS) known.clear();
			known.set(key, found);
			return found;
		},
		hasFastSearch: true,
		parts: (from, to) => parts(firstTick(from), lastTick(to)),
		lastTick: (second) => second < 0 ? void 0 : lastTick(second),
		nextTick: firstTick,
		holes: (from, to) => from < 0 ? [{
			from,
			to: Math.min(to, -1)
		}] : NO_HOLES
	};
}
// .build/old/src/market/volume.ts
/** The level and the length in seconds of a root, about a year. Its total is that of its hours of the week. */
const ROOT_LEVEL = 25;
const ROOT = 1 << ROOT_LEVEL;
const SECONDS_PER_DAY = 86400;
/** How much of a node's random unevenness its volume has, and how much of its own a feed adds. */
const SHARED = .45;
const OWN = .08;
/** Nodes above 2^22 seconds are more even, so that the largest volume is exact over the longest candle, 364 days. */
const LAST_UNEVEN_LEVEL = 22;
const EVENNESS_ABOVE = .6;
/**
* Creates the volume of a feed as an integer cascade on the tree of its trading time: more is traded when prices move more.
* Its `volume` is the mean of a day, in USD.
*/
function createVolume(seed, { id, group, volume: daily }) {
	const { k1, k2 } = keysOf(seed, `volume:${id}`);
	const { split, usualShare } = createCascade(seed, group);
	const totalAt = (start) => Math.round(daily * 100 * usualTime(group, start, start + ROOT) / SECONDS_PER_DAY);
	let lastSecond = -1;
	let lastVolume = 0;
	const sinceRoot = (second) => {
		if (second !== lastSecond) {
			lastVolume = lookUp(second);
			lastSecond = second;
		}
		return lastVolume;
	};
	/** The volume traded since the start of the root that contains `second`. */
	const lookUp = (second) => {
		let start = Math.floor(second / ROOT) * ROOT;
		let rest = second - start;
		let volume = rest > 0 ? totalAt(start) : 0;
		let sum = 0;
		let level = ROOT_LEVEL;
		for (let half = ROOT / 2; rest > 0; half /= 2) {
			const middle = start + half | 0;
			const scattered = scatter(middle);
			const q = usualShare(level, middle);
			const part = q + (SHARED * (SPLITS[split(level, middle, scattered)] - q) + 4 * q * (1 - q) * OWN * uniformOf(k1, k2, scattered)) * (level > LAST_UNEVEN_LEVEL ? EVENNESS_ABOVE : 1);
			const left = Math.floor(volume * part + .5);
			if (rest >= half) {
				sum += left;
				volume -= left;
				rest -= half;
				start += half;
			} else volume = left;
			level--;
		}
		return sum;
	};
	return { between(from, to) {
		let roots = 0;
		for (let root = Math.floor(from / ROOT) * ROOT; root + ROOT <= to; root += ROOT) roots += totalAt(root);
		const before = sinceRoot(from);
		return roots + (sinceRoot(to) - before);
	} };
}

const anchored = (feed: Feed): Feed => ({ ...feed, span: Math.min(feed.span, 4194304) })
/** The path of a feed. */
export const anchoredPath = (seed: string, feed: Feed): PricePath => createFeedPath(seed, anchored(feed))
/** The volume of a feed. */
export const anchoredVolume = (seed: string, feed: Feed): Volume => createVolume(seed, anchored(feed))
