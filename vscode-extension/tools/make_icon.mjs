// Draws media/icon.png: a call as sound, and the way back through it. usage: node tools/make_icon.mjs
import { writeFileSync } from 'node:fs';
import { deflateSync, crc32 } from 'node:zlib';

const SIZE = 128;
const SAMPLES = 4; // per pixel and axis, for smooth edges
const GROUND = [31, 36, 48];
const SOUND = [122, 162, 247];
const PAST = [64, 78, 112];
const BACK = [255, 179, 92];
const BARS = [14, 34, 22, 48, 62, 40, 56, 30, 44, 20, 12];

const inRounded = (x, y, left, top, right, bottom, radius) => {
  if (x < left || x > right || y < top || y > bottom) return false;
  const dx = Math.max(left + radius - x, x - right + radius, 0);
  const dy = Math.max(top + radius - y, y - bottom + radius, 0);
  return dx * dx + dy * dy <= radius * radius;
};

const inBackArrow = (x, y) =>
  [26, 50].some((left) => x >= left && x <= left + 24 && Math.abs(y - 98) <= ((x - left) / 24) * 17);

function colourAt(x, y) {
  if (!inRounded(x, y, 2, 2, SIZE - 2, SIZE - 2, 24)) return null;
  if (inBackArrow(x, y)) return BACK;
  if (x >= 78 && inRounded(x, y, 80, 92, 104, 104, 6)) return PAST;
  for (const [place, height] of BARS.entries()) {
    const left = 16 + place * 8.9;
    if (inRounded(x, y, left, 45 - height / 2, left + 5.4, 45 + height / 2, 2.7)) return place < 6 ? SOUND : PAST;
  }
  if (inRounded(x, y, 68.2, 12, 70.2, 78, 1)) return BACK;
  return GROUND;
}

const rows = [];
for (let y = 0; y < SIZE; y += 1) {
  const row = Buffer.alloc(1 + SIZE * 4);
  for (let x = 0; x < SIZE; x += 1) {
    const sum = [0, 0, 0, 0];
    for (let sample = 0; sample < SAMPLES * SAMPLES; sample += 1) {
      const colour = colourAt(
        x + ((sample % SAMPLES) + 0.5) / SAMPLES,
        y + (Math.floor(sample / SAMPLES) + 0.5) / SAMPLES,
      );
      if (colour === null) continue;
      colour.forEach((part, place) => (sum[place] += part));
      sum[3] += 1;
    }
    const painted = Math.max(sum[3], 1);
    [sum[0] / painted, sum[1] / painted, sum[2] / painted, (sum[3] * 255) / SAMPLES ** 2].forEach(
      (part, place) => (row[1 + x * 4 + place] = Math.round(part)),
    );
  }
  rows.push(row);
}

function chunk(type, data) {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const framed = Buffer.alloc(body.length + 8);
  framed.writeUInt32BE(data.length, 0);
  body.copy(framed, 4);
  framed.writeUInt32BE(crc32(body), body.length + 4);
  return framed;
}

const head = Buffer.alloc(13);
head.writeUInt32BE(SIZE, 0);
head.writeUInt32BE(SIZE, 4);
head.set([8, 6, 0, 0, 0], 8); // 8 bits, colour with alpha
const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const picture = [chunk('IHDR', head), chunk('IDAT', deflateSync(Buffer.concat(rows), { level: 9 })), chunk('IEND', Buffer.alloc(0))];
writeFileSync(new URL('../media/icon.png', import.meta.url), Buffer.concat([signature, ...picture]));
