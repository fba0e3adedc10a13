// Pictures from our own records: bitmaps only, inside the page, from nowhere else.
import type { Block } from "../wire/names";

const BITMAP = /^image\/(png|jpeg|gif|webp)$/;
const BASE64 = /^[A-Za-z0-9+/\s]+={0,2}\s*$/;

export function Images({ blocks, label }: { blocks: readonly Block[]; label: string }) {
  const images = blocks.flatMap((block) =>
    block.type === "image" && BITMAP.test(block.media_type) && BASE64.test(block.data) ? [block] : [],
  );
  if (images.length === 0) return null;
  return (
    <div class="paws-images">
      {images.map(({ media_type, data }, i) => (
        <img key={i} src={`data:${media_type};base64,${data}`} alt={label} />
      ))}
    </div>
  );
}
