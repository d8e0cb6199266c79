// One waveform for each recorded channel, by wavesurfer.js from the adapter's peaks. It only draws:
// the audio is the player's, zoom and scrolling are the viewport's.
/*! wavesurfer.js, in this bundle:
 * BSD 3-Clause License
 *
 * Copyright (c) 2012-2023, katspaugh and contributors
 * All rights reserved.
 *
 * Redistribution and use in source and binary forms, with or without
 * modification, are permitted provided that the following conditions are met:
 *
 * * Redistributions of source code must retain the above copyright notice, this
 *   list of conditions and the following disclaimer.
 *
 * * Redistributions in binary form must reproduce the above copyright notice,
 *   this list of conditions and the following disclaimer in the documentation
 *   and/or other materials provided with the distribution.
 *
 * * Neither the name of the copyright holder nor the names of its
 *   contributors may be used to endorse or promote products derived from
 *   this software without specific prior written permission.
 *
 * THIS SOFTWARE IS PROVIDED BY THE COPYRIGHT HOLDERS AND CONTRIBUTORS "AS IS"
 * AND ANY EXPRESS OR IMPLIED WARRANTIES, INCLUDING, BUT NOT LIMITED TO, THE
 * IMPLIED WARRANTIES OF MERCHANTABILITY AND FITNESS FOR A PARTICULAR PURPOSE ARE
 * DISCLAIMED. IN NO EVENT SHALL THE COPYRIGHT HOLDER OR CONTRIBUTORS BE LIABLE
 * FOR ANY DIRECT, INDIRECT, INCIDENTAL, SPECIAL, EXEMPLARY, OR CONSEQUENTIAL
 * DAMAGES (INCLUDING, BUT NOT LIMITED TO, PROCUREMENT OF SUBSTITUTE GOODS OR
 * SERVICES; LOSS OF USE, DATA, OR PROFITS; OR BUSINESS INTERRUPTION) HOWEVER
 * CAUSED AND ON ANY THEORY OF LIABILITY, WHETHER IN CONTRACT, STRICT LIABILITY,
 * OR TORT (INCLUDING NEGLIGENCE OR OTHERWISE) ARISING IN ANY WAY OUT OF THE USE
 * OF THIS SOFTWARE, EVEN IF ADVISED OF THE POSSIBILITY OF SUCH DAMAGE.
 */
import WaveSurfer from 'wavesurfer.js';
import type { AudioFile, Peaks } from './host';
import type { Viewport } from './viewport';

export const WAVE_HEIGHT = 34;
const FULL_SCALE = 32_768;

function samples(base64: string): Int16Array {
  const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
  const view = new DataView(bytes.buffer);
  return Int16Array.from({ length: bytes.length / 2 }, (_, at) => view.getInt16(at * 2, true));
}

/** Peaks over the whole call: nothing stands where the file has nothing. */
export function overCall(values: ArrayLike<number>, peaks: Pick<Peaks, 'binMs' | 'offsetMs'>, firstMs: number, lastMs: number): Float32Array {
  const bins = Math.max(1, Math.ceil((lastMs - firstMs) / peaks.binMs));
  const shift = Math.round((peaks.offsetMs - firstMs) / peaks.binMs);
  const found = new Float32Array(bins);
  let most = 1;
  for (let at = 0; at < values.length; at += 1) most = Math.max(most, Math.abs(values[at] as number));
  for (let at = 0; at < values.length; at += 1) {
    const place = at + shift;
    if (place >= 0 && place < bins) found[place] = Math.abs(values[at] as number) / Math.max(most, FULL_SCALE / 8);
  }
  return found;
}

export class Wave {
  private readonly surfer: WaveSurfer;
  private pxPerSec = 0;

  constructor(container: HTMLElement, private readonly firstMs: number, lastMs: number, channel: { lows: string; highs: string }, peaks: Peaks, colour: string, nonce: string) {
    this.surfer = WaveSurfer.create({
      container,
      height: WAVE_HEIGHT - 4,
      peaks: [overCall(samples(channel.highs), peaks, firstMs, lastMs), overCall(samples(channel.lows), peaks, firstMs, lastMs)],
      duration: Math.max(0.001, (lastMs - firstMs) / 1000),
      waveColor: colour,
      progressColor: colour,
      cursorWidth: 0,
      interact: false,
      hideScrollbar: true,
      autoScroll: false,
      autoCenter: false,
      fillParent: true,
      cspNonce: nonce,
    });
  }

  show(view: Viewport): void {
    const pxPerSec = (view.width / (view.toMs - view.fromMs)) * 1000;
    if (this.surfer.getDecodedData() === null) {
      this.surfer.once('ready', () => this.show(view));
      return;
    }
    if (Math.abs(pxPerSec - this.pxPerSec) > 1e-6) {
      this.pxPerSec = pxPerSec;
      this.surfer.zoom(pxPerSec);
    }
    this.surfer.setScrollTime((view.fromMs - this.firstMs) / 1000);
  }

  recolour(colour: string): void {
    this.surfer.setOptions({ waveColor: colour, progressColor: colour });
  }

  destroy(): void {
    this.surfer.destroy();
  }
}

/** Why a channel has no waveform, in words. */
export function whyNoWave(file: AudioFile): string {
  const reason = file.reason ?? file.availability ?? 'unavailable';
  return `No audio: ${reason.replaceAll('_', ' ')}`;
}
